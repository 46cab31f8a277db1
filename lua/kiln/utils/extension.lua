--- kiln.utils.create_extension: C sources compiled into a library that Lua calls through FFI.
-- A header is C without macros in its declarations: lines that begin with # are left out for ffi.cdef.
-- Beside the library lies kiln.h, kiln's own interface, with which it is linked: sources can take kiln_tensor
-- pointers as well as plain ones.
local ffi = require "ffi"
local kiln_ffi = require "kiln.ffi"
local C = kiln_ffi.C
local args = require "kiln.utils.args"
local check = require "kiln.check"
local shell = require "kiln.utils.shell"

local raise, got = check.raise, check.got

local parse = args.define("create_extension", "name: string, headers: any, sources: any, "
  .. "verbose: bool = false, build_directory: string?, include_dirs: table?, libraries: table?, "
  .. "extra_compile_args: table?")

local HEAD = "#pragma once\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"

local function list_of(name, v)
  if type(v) == "string" then v = { v } end
  if type(v) ~= "table" or #v == 0 then
    raise("create_extension", "%s must be a file name or a list of them, not %s", name, got(v))
  end
  for i, path in ipairs(v) do
    if type(path) ~= "string" then
      raise("create_extension", "%s[%d] must be a file name, not %s", name, i, got(path))
    end
    if not shell.is_file(path) then raise("create_extension", "%s[%d]: cannot read %s", name, i, path) end
  end
  return v
end

local function write(path, text)
  local file, why = io.open(path, "wb")
  if not file then raise("create_extension", "cannot write %s", why) end
  file:write(text)
  file:close()
end

-- A header's declarations, as ffi.cdef reads them.
local function declarations(path)
  local file = assert(io.open(path, "rb"))
  local lines = {}
  for line in file:lines() do
    if not line:find "^%s*#" then lines[#lines + 1] = line end
  end
  file:close()
  return table.concat(lines, "\n")
end

--- Compiles sources and declares headers; returns the library, whose fields are its functions.
-- create_extension("mine", "mine.h", { "mine.c" }, { build_directory = "build" })
---@param name string  letters, digits and _
---@param headers string|string[]
---@param sources string|string[]
---@return ffi.namespace*
return function(...)
  local a = parse(...)
  if not a.name:match "^[%a_][%w_]*$" then
    raise("create_extension", "name must be letters, digits and _, not %s", got(a.name))
  end
  local headers, sources = list_of("headers", a.headers), list_of("sources", a.sources)
  local directory = a.build_directory or "build_" .. a.name
  local ok, why = shell.make_directory(directory)
  if not ok then raise("create_extension", "cannot make %s: %s", directory, why) end
  write(directory .. "/kiln.h", HEAD .. ffi.string(C.kiln_cdef()))
  local library = ("%s/lib%s.so"):format(directory, a.name)
  local words = { os.getenv "CC" or "cc", "-shared", "-fPIC", "-O2", "-I", directory }
  for _, path in ipairs(a.include_dirs or {}) do
    words[#words + 1] = "-I"
    words[#words + 1] = path
  end
  for _, word in ipairs(a.extra_compile_args or {}) do words[#words + 1] = word end
  for _, path in ipairs(sources) do words[#words + 1] = path end
  words[#words + 1] = "-o"
  words[#words + 1] = library
  if shell.is_file(kiln_ffi.path) then words[#words + 1] = kiln_ffi.path end
  for _, name in ipairs(a.libraries or {}) do words[#words + 1] = "-l" .. name end
  if a.verbose then io.stderr:write(table.concat(words, " "), "\n") end
  local said
  said, why = shell.run(words)
  if not said then error(("kiln: create_extension: %s does not compile:\n%s"):format(a.name, why), 2) end
  if a.verbose then io.stderr:write(said) end
  for i, path in ipairs(headers) do
    local fine, message = pcall(ffi.cdef, declarations(path))
    if not fine then raise("create_extension", "headers[%d], %s: %s", i, path, message) end
  end
  return ffi.load(library:sub(1, 1) == "/" and library or "./" .. library)
end
