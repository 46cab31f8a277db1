--- The instruction-set levels agree: each runs every sample in a process of its own; float64 to 1e-11,
-- float32 to the row's tolerance, random numbers and integers exactly.
local ops = require "kiln.ops"
local tensors = require "spec.support.tensors"

-- What kiln.config() calls what KILN_CPU_LEVEL asks for.
local LEVELS = { baseline = "baseline", v3 = "x86-64-v3", v4 = "x86-64-v4" }

local function results(level)
  local command = ("KILN_CPU_LEVEL=%s luajit spec/support/level_results.lua 2>&1"):format(level)
  local pipe = assert(io.popen(command))
  local found, list, first = {}, {}, pipe:read "*l"
  for line in pipe:lines() do
    local key, values = line:match "^(.*)\t([^\t]*)$"
    assert(key, line)
    found[key] = values
    list[#list + 1] = key
  end
  pipe:close()
  return found, list, first
end

local function numbers(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = tonumber(word) end
  return list
end

describe("instruction-set level", function()
  local expected, list, level = results "baseline"

  it("baseline runs", function()
    assert.equal(LEVELS.baseline, level)
    assert.is_true(#list > 500)
  end)

  for _, name in ipairs { "v3", "v4" } do
    it(name .. " agrees with baseline", function()
      local got, _, ran = results(name)
      if ran ~= LEVELS[name] then
        pending("this processor has no " .. name)
        return
      end
      local problems = {}
      for _, key in ipairs(list) do
        local op, dtype = key:match "^(%S+)\t.*\t(float%d+)\t%d+$"
        local row = ops.by_name[op]
        local tol = dtype == "float64" and 1e-11 or math.max(row.tol or 0, 1e-5)
        if row.random then tol = dtype == "float64" and 1e-13 or 1e-6 end
        local why = got[key] == nil and "no result"
          or tensors.difference(numbers(got[key]), numbers(expected[key]), tol)
        if why then problems[#problems + 1] = key:gsub("\t", " ") .. ": " .. why end
      end
      if #problems > 0 then error(table.concat(problems, "\n"), 0) end
    end)
  end
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
