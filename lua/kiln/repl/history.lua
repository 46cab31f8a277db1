--- What was typed before: a list in memory and a file that outlives the session.
-- The file is $KILN_HISTORY, else ~/.kiln_history, an entry a line (a line break is written \n, a backslash
-- \\).  It refuses to fail: where the file cannot be read or written, history lasts as long as the session.
local Object = require "kiln.class"
local files = require "kiln.utils.files"

local MOST, SLACK = 2000, 2 -- entries kept; the file is cut down when it has SLACK times as many
local BYTES = 2 ^ 24 -- read from the end of the file

---@class kiln.repl.History: kiln.Object
---@field entries string[] oldest first
local History = Object:extend "History"

local function escape(text) return (text:gsub("\\", "\\\\"):gsub("\n", "\\n")) end
local function unescape(line)
  return (line:gsub("\\(.)", function(c) return c == "n" and "\n" or c end))
end

local function default_path()
  local named, home = os.getenv "KILN_HISTORY", os.getenv "HOME"
  if named then return named ~= "" and named or nil end
  return home and home .. "/.kiln_history"
end

---@param path? string|false  false: no file
function History:init(path)
  if path == nil then path = default_path() end
  self.path, self.entries = path or nil, {}
  if not path then return end
  local _, why = files.permissions(path)
  if why then self.path = nil end -- opening a pipe would wait
  local file = files.open(path)
  if not file then return end
  file:seek("set", math.max(0, (file:seek "end" or 0) - BYTES))
  local text = file:read(BYTES) or ""
  file:close()
  local from, at = 1, text:find("\n", 1, true)
  while at do
    self.entries[#self.entries + 1] = unescape(text:sub(from, at - 1))
    from, at = at + 1, text:find("\n", at + 1, true)
  end
  local n = #self.entries
  if n > MOST then
    self.entries = { unpack(self.entries, n - MOST + 1, n) }
    if n > MOST * SLACK then self:rewrite() end
  end
end

function History:rewrite()
  local temporary = self.path .. ".new"
  local file = io.open(temporary, "wb")
  if not file then return end
  local lines = {}
  for i, entry in ipairs(self.entries) do lines[i] = escape(entry) .. "\n" end
  local whole = file:write(table.concat(lines))
  whole = file:close() and whole
  if whole then os.rename(temporary, self.path) else os.remove(temporary) end
end
jit.off(History.rewrite) -- looks at what file:write says: docs/architecture.md, "LuaJIT"

--- Adds an entry, unless it is blank or repeats the last.
---@param text string
function History:add(text)
  if not text:find "%S" or text == self.entries[#self.entries] then return end
  self.entries[#self.entries + 1] = text
  local file = self.path and io.open(self.path, "ab")
  if not file then return end
  file:write(escape(text), "\n")
  file:close()
end

--- The newest entry before position `from` that contains `text`.
---@return integer? position
---@return integer? at  where in the entry it stands
function History:find(text, from)
  for i = from - 1, 1, -1 do
    local at = self.entries[i]:find(text, 1, true)
    if at then return i, at end
  end
end

return History
