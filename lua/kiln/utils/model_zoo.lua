--- kiln.utils.model_zoo: weights by their address, kept on the disk once they were fetched.
-- A file name that ends in `-HEX.ext`, as those of published weights do, says how its SHA-256 begins; a file
-- that does not fit is thrown away.  curl does the fetching; what a file holds is kiln.load's affair, which
-- runs nothing.
local args = require "kiln.utils.args"
local check = require "kiln.check"
local shell = require "kiln.utils.shell"

local raise = check.raise
local M = {}

local parse = args.define("load_url", "url: string, model_dir: string?, map_location: any?, "
  .. "progress: bool = true, check_hash: bool = true, file_name: string?")

-- $KILN_HOME/models, or ~/.cache/kiln/models.
local function default_directory()
  local home = os.getenv "KILN_HOME"
  return (home or (os.getenv "HOME" or ".") .. "/.cache/kiln") .. "/models"
end

local function check_hash(url, path, name)
  local wanted = name:match "%-(%x%x%x%x%x%x%x%x+)%.%w+$"
  if not wanted then return end
  local text, why = shell.run { "sha256sum", "--", path }
  if not text then
    os.remove(path)
    raise("load_url", "cannot check %s: %s", name, why)
  end
  local found = text:match "%x+"
  if found:sub(1, #wanted) ~= wanted:lower() then
    os.remove(path)
    raise("load_url", "what came from %s has the SHA-256 %s..., its name says %s", url, found:sub(1, #wanted),
      wanted)
  end
end

--- What kiln.load makes of the file at an address (http, https, ftp, file).  It is fetched once, into
-- model_dir, and under its own name.
---@param url string
---@return any
function M.load_url(...)
  local a = parse(...)
  if not a.url:match "^%a[%w+.-]*://." then
    raise("load_url", "url must be an address such as https://host/name.pt, not %s", check.got(a.url))
  end
  local name = a.file_name or a.url:gsub("[?#].*$", ""):match "([^/]+)$"
  if not name or name == "." or name == ".." or name:find("/", 1, true) then
    raise("load_url", "%s names no file", check.got(a.url))
  end
  local directory = a.model_dir or default_directory()
  local path = directory .. "/" .. name
  if not shell.is_file(path) then
    local ok, why = shell.make_directory(directory)
    if not ok then raise("load_url", "cannot make %s: %s", directory, why) end
    if a.progress then io.stderr:write(("fetching %s to %s\n"):format(a.url, path)) end
    local part = path .. ".part"
    ok, why = shell.run { "curl", "--fail", "--silent", "--show-error", "--location", "--output", part, "--",
      a.url }
    if not ok then
      os.remove(part)
      raise("load_url", "cannot fetch %s: %s", a.url, (why:gsub("%s*\n%s*", "; ")))
    end
    if a.check_hash then check_hash(a.url, part, name) end
    assert(os.rename(part, path))
  end
  return require("kiln").load(path, { map_location = a.map_location })
end

return M
