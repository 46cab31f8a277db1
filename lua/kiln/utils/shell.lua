--- Programs of the system, called by name with arguments that no shell takes apart: curl, sha256sum, cc.
-- What they say goes into the error.  It refuses to build a command from anything but whole arguments.
local M = {}

local function quoted(word) return "'" .. word:gsub("'", [['\'']]) .. "'" end

--- Runs a program and waits for it.  Returns its output, or nil and what it said.
---@param words string[]  the program and its arguments
---@return string?, string?
function M.run(words)
  local list = {}
  for i, word in ipairs(words) do list[i] = quoted(word) end
  local pipe, why = io.popen(table.concat(list, " ") .. " 2>&1; echo \" $?\"", "r")
  if not pipe then return nil, why end
  local text = pipe:read "*a"
  pipe:close()
  local output, status = text:match "^(.*) (%d+)\n$"
  if status == "0" then return output end
  return nil, (output or text):gsub("%s+$", "")
end

--- Makes a directory and those above it.
function M.make_directory(path) return M.run { "mkdir", "-p", "--", path } end

--- Can the file be read?
function M.is_file(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

return M
