-- The tables of docs/from-pytorch.md and docs/from-torch7.md: what one is to write is Lua, of known names.
-- Tensors are not counted: those whose methods are asked for live as long as the file.
-- That the names of the reference are there is for the inventory specs.
local kiln = require "kiln"
local nn, data = kiln.nn, kiln.utils.data

local ROOTS = { kiln = kiln, nn = nn, optim = kiln.optim, data = data }

-- Whose methods a table may call, and one of each to ask.
local objects = {
  kiln.ones(1), nn.Linear(1, 1), nn.ModuleList {}, kiln.optim.SGD({ kiln.ones(1) }, { lr = 1 }),
  data.DataLoader(data.TensorDataset(kiln.ones(1))), data.TensorDataset(kiln.ones(1)), nn.Module,
  kiln.autograd.Function, { save_for_backward = true }, -- a context, which only a Function sees
  kiln.cuda.Graph, { step = true, get_last_lr = true }, -- a schedule
}

local function has(object, name)
  local ok, v = pcall(function() return object[name] end)
  return ok and v ~= nil
end

-- The pieces of code in the last column of the tables, with their lines.
local function pieces(path)
  local list, n = {}, 0
  for line in io.lines(path) do
    n = n + 1
    local row = line:match "^| .* | (.*) |$"
    if row and not line:find "^|[-|]+$" then
      for code in row:gmatch "`([^`]+)`" do
        list[#list + 1] = { code = code, where = ("%s:%d"):format(path, n) }
      end
    end
  end
  return list
end

local function compiles(code)
  code = code:gsub("(%b()) %.%.%. end", "%1 end"):gsub("%.%.%.", "nil")
  for _, form in ipairs { "return %s", "%s", "%s end", "return {%s}", "local _ = x%s", "x:%s" } do
    if loadstring((form:gsub("%%s", function() return code end))) then return true end
  end
  return false
end

local SHELL = { ["kiln -i script.lua"] = true }

describe("the tables", function()
  for _, path in ipairs { "docs/from-pytorch.md", "docs/from-torch7.md" } do
    it("of " .. path .. " are Lua whose names are there", function()
      local list, names = pieces(path), 0
      for _, piece in ipairs(list) do
        local code, where = piece.code, piece.where .. ": " .. piece.code
        if not SHELL[code] then assert.is_true(compiles(code), where) end
        local text = code:gsub('"[^"]*"', '""')
        for root, rest in text:gmatch "%f[%w_.]([%a_]+)(%.[%w_.]+)" do
          local v = ROOTS[root]
          for name in (v and rest or ""):gmatch "[%w_]+" do
            assert.is_true(has(v, name), where .. ": " .. name)
            v, names = v[name], names + 1
          end
        end
        for name in text:gmatch "%f[:]:([%a_][%w_]*)" do
          local found = false
          for _, object in ipairs(objects) do found = found or has(object, name) end
          assert.is_true(found or text:find("function [%w_]+:" .. name) ~= nil, where .. ": " .. name)
          names = names + 1
        end
      end
      assert.is_true(#list > 30 and names > 30, ("%d pieces, %d names"):format(#list, names))
    end)
  end
end)
