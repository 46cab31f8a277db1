--- The Lua code in Markdown pages: runs every ```lua block of a page, in order, and compares what it prints
-- with the ```text block right behind it.  Blocks of a page share their variables, as at the prompt.
--   luajit spec/support/pages.lua PAGE...    writes what blocks print into the pages
-- It refuses to judge a block without a ```text block by anything but that it runs.
local source = require "kiln.repl.source"
local read = require "spec.support.read"

local M = {}

-- A page as a list of parts: { text = } or { code = , line = , output = }.
local function parse(text)
  local parts, plain, line = {}, {}, 1
  local function flush()
    if #plain > 0 then parts[#parts + 1] = { text = table.concat(plain, "\n") .. "\n" } end
    plain = {}
  end
  local lines = {}
  for l in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = l end
  local function fenced(first)
    local body, i = {}, first
    while lines[i] ~= nil and lines[i] ~= "```" do
      body[#body + 1] = lines[i]
      i = i + 1
    end
    return table.concat(body, "\n") .. "\n", i + 1
  end
  while line <= #lines do
    if lines[line] == "```lua" then
      flush()
      local block = { line = line }
      block.code, line = fenced(line + 1)
      local at = line
      while lines[at] == "" do at = at + 1 end
      if lines[at] == "```text" then block.output, line = fenced(at + 1) end
      parts[#parts + 1] = block
    else
      plain[#plain + 1] = lines[line]
      line = line + 1
    end
  end
  flush()
  return parts
end

-- Rows of the op table, as docs/adding-an-op.md shows them: they are read and checked, not added.
local function row_groups()
  local ops, groups = require "kiln.ops", {}
  for _, group in ipairs { "unary", "binary", "compare", "pointwise", "reduce", "view", "kernel",
    "composite" } do
    groups[group] = function(name)
      return function(row)
        assert(type(row.doc) == "string", name .. " has no doc")
        ops.parse_args(row.args or "x")
      end
    end
  end
  return groups
end

local function environment(output)
  local function write(...)
    for i = 1, select("#", ...) do output[#output + 1] = tostring((select(i, ...))) end
  end
  local env = row_groups()
  env.require = require
  function env.print(...)
    for i = 1, select("#", ...) do write(i > 1 and "\t" or "", (select(i, ...))) end
    write "\n"
  end
  env.io = setmetatable({ write = write }, { __index = io })
  env.arg = { [0] = "page" }
  return setmetatable(env, { __index = _G })
end

local function tidy(text) return (text:gsub("[ \t]+\n", "\n"):gsub("%s+$", "")) .. "\n" end

--- Runs the blocks of a page.
---@param path string
---@return table[] blocks  { line, code, output (expected), printed, problem }
---@return table[] parts
function M.run(path)
  local printed = {}
  local env, parts, blocks = environment(printed), parse(read(path)), {}
  require("kiln").manual_seed(1)
  for _, part in ipairs(parts) do
    if part.code then
      blocks[#blocks + 1] = part
      for i = #printed, 1, -1 do printed[i] = nil end
      local chunk, why = loadstring(source.keep_locals(part.code), "=input")
      local ok = chunk ~= nil
      if chunk then ok, why = pcall(setfenv(chunk, env)) end
      if not ok then part.problem = tostring(why) end
      part.printed = #printed > 0 and tidy(table.concat(printed)) or nil
      if part.output then part.output = tidy(part.output) end
    end
  end
  return blocks, parts
end

--- Writes what the blocks of a page print into it.
function M.update(path)
  local out = {}
  local _, parts = M.run(path)
  for _, part in ipairs(parts) do
    if part.text then
      out[#out + 1] = part.text
    else
      out[#out + 1] = "```lua\n" .. part.code .. "```\n"
      if part.problem then io.stderr:write(part.problem, "\n") end
      -- What nobody showed before is shown where the page asks for it, with an empty block.
      if part.output and part.printed then out[#out + 1] = "\n```text\n" .. part.printed .. "```\n" end
    end
  end
  local file = assert(io.open(path, "wb"))
  file:write(table.concat(out))
  file:close()
end

if arg and arg[0] and arg[0]:find "support/pages%.lua$" then
  local folder = require "spec.support.folder"
  folder.enter()
  for _, path in ipairs(arg) do M.update(path:sub(1, 1) == "/" and path or folder.root .. "/" .. path) end
  folder.leave()
end

return M
