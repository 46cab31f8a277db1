--- What LuaJIT must not compile, loops of pairs and next, does not stand in kiln's own files uncovered:
-- docs/architecture.md, "LuaJIT".
local support = require "spec.support"
local read = require "spec.support.read"
local util = require "jit.util"
local bcnames = require("jit.vmdef").bcnames

local function is_pairs_loop(instruction)
  local at = 6 * bit.band(instruction, 0xff)
  return bcnames:sub(at + 1, at + 6) == "ISNEXT"
end

-- Calls visit(line, first line of the function) for each loop in the functions inside of f.
local function each_loop(f, visit)
  local info = util.funcinfo(f)
  for pc = 1, info.bytecodes - 1 do
    if info.linedefined > 0 and is_pairs_loop(util.funcbc(f, pc)) then
      visit(util.funcinfo(f, pc).currentline, info.linedefined)
    end
  end
  for i = -1, info.children and -info.gcconsts or 0, -1 do
    local inner = util.funck(f, i)
    if type(inner) == "proto" then each_loop(inner, visit) end
  end
end

-- The loops of a text that could be compiled.  What stands in no function runs once.
local function compiled_loops(text, path)
  local list, lines = {}, {}
  if text:find("\njit.off(true, true)", 1, true) then return list end
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  each_loop(assert(loadstring(text, "@" .. path)), function(line, first)
    local name = lines[first]:match "function%s+([%w_.:]+)" or lines[first]:match "([%w_.]+)%s*=%s*function"
    local call = name and "jit.off(" .. name:gsub(":", ".") .. ")"
    if not (call and text:find("\n%s*" .. call:gsub("%p", "%%%0"))) then
      list[#list + 1] = ("%s:%d: %s"):format(path, line, lines[line])
    end
  end)
  return list
end

-- What `search` finds in kiln's files, a line each.
local function in_all_files(search)
  local n, found = 0, {}
  local files = io.popen "find lua examples -name '*.lua' ! -name stubs.lua | LC_ALL=C sort"
  for path in files:lines() do
    n = n + 1
    for _, line in ipairs(search(read(path), path)) do found[#found + 1] = line end
  end
  files:close()
  assert.is_true(n > 100)
  return table.concat(found, "\n")
end

describe("loops of pairs and next", function()
  it("are not compiled in kiln's files", function()
    assert.equals("", in_all_files(compiled_loops))
  end)

  it("are found where they stand", function()
    local LOOP = "local function f(t)\n  for k in pairs(t) do print(k) end\nend\n"
    assert.same({ "a:2:   for k in pairs(t) do print(k) end" }, compiled_loops(LOOP, "a"))
    assert.equals(1, #compiled_loops(LOOP:gsub("pairs%(t%)", "next, t") .. "jit.off(g)\n", "a"))
    assert.equals(1, #compiled_loops("return function() " .. LOOP .. " return f end", "a"))
    assert.same({}, compiled_loops(LOOP .. "jit.off(f)\n", "a"))
    assert.same({}, compiled_loops("local x\njit.off(true, true)\n" .. LOOP, "a"))
    assert.same({}, compiled_loops("for k in pairs { 1 } do print(k) end\n", "a"))
    assert.same({}, compiled_loops(LOOP:gsub("pairs", "ipairs"), "a"))
  end)
end)

-- Lines of a text that look at what file:write or file:flush returns, in functions that could be compiled.
local function compiled_answers(text, path)
  local list, n, name = {}, 0, nil
  if text:find("\njit.off(true, true)", 1, true) then return list end
  for line in (text .. "\n"):gmatch "(.-)\n" do
    n = n + 1
    name = line:match "^local function ([%w_]+)" or line:match "^function ([%w_.:]+)" or name
    local looks = line:find "[=(,] *[%w_.]*file:write" or line:find "[=(,] *[%w_.]*file:flush"
      or line:find "return [%w_.]*file:write" or line:find "return [%w_.]*file:flush"
    local off = name and ("\njit.off(%s)"):format((name:gsub(":", ".")))
    if looks and not (off and text:find(off, 1, true)) then
      list[#list + 1] = ("%s:%d: %s"):format(path, n, line)
    end
  end
  return list
end

describe("file:write and file:flush", function()
  it("are not compiled where somebody looks at their answer", function()
    assert.equals("", in_all_files(compiled_answers))
  end)

  it("are found where they stand", function()
    local ANSWER = "local function f(file)\n  local ok = file:flush()\n  return ok\nend\n"
    assert.same({ "a:2:   local ok = file:flush()" }, compiled_answers(ANSWER, "a"))
    local METHOD = "function M:f() must(self, self.file:write(1)) end\n"
    assert.equals(1, #compiled_answers(METHOD .. "jit.off(M.g)\n", "a"))
    assert.same({}, compiled_answers(METHOD .. "jit.off(M.f)\n", "a"))
    assert.same({}, compiled_answers(ANSWER .. "jit.off(f)\n", "a"))
    assert.same({}, compiled_answers("function M:f()\n  self.file:write(1)\nend\n", "a"))
  end)
end)

describe("Lua's heap", function()
  it("holds less than 800 KB once kiln is loaded, for every collection walks it", function()
    local script = 'require "kiln" collectgarbage() collectgarbage() print(collectgarbage "count")'
    local pipe = io.popen("luajit -joff -e '" .. script .. "'") -- compiled code comes and goes
    local kilobytes = tonumber(pipe:read "*l")
    pipe:close()
    assert.is_true(kilobytes > 300 and kilobytes < 800, kilobytes)
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
