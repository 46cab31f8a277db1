--- Autocast: a function runs with its products in half precision.  core/autocast.c does the casts.
local C = require("kiln.ffi").C
local check = require "kiln.check"
local dtypes = require "kiln.dtype"
local modes = require "kiln.modes"
jit.off(true, true) -- walks tables of others: docs/architecture.md, "LuaJIT"

local raise = check.raise

local M = {}

local OFF = -1
local KINDS = { cpu = 0, cuda = 1 }
-- What a kind of device uses unless told otherwise: float16 where there are units for it.
local USUAL = { cpu = dtypes.by_name.bfloat16, cuda = dtypes.by_name.float16 }

local depth = 0 -- of regions; the casts of weights live as long as the outermost

local function kind_of(device, fn)
  local kind = type(device) == "string" and KINDS[device:match "^%a+"]
  if not kind then raise(fn, "device must be 'cpu' or 'cuda', got %s", check.got(device)) end
  return device:match "^%a+", kind
end

-- The dtype of each kind that the options name; OFF where autocast is switched off.
local function wanted(given)
  local set = {}
  for name, kind in pairs(KINDS) do
    if given.device == nil or kind_of(given.device, "autocast") == name then
      local code = check.dtype(given.dtype or USUAL[name], "autocast", "dtype")
      set[kind] = given.enabled == false and OFF or code
    end
  end
  return set
end

local function enter(set)
  local before = {}
  for kind, dtype in pairs(set) do
    local was = C.kiln_autocast(kind)
    if C.kiln_set_autocast(kind, dtype) < 0 then
      for k, d in pairs(before) do C.kiln_set_autocast(k, d) end
      check.raise_core "autocast"
    end
    before[kind] = was
  end
  depth = depth + 1
  return before
end

local function leave(before)
  for kind, dtype in pairs(before) do C.kiln_set_autocast(kind, dtype) end
  depth = depth - 1
  if depth == 0 then C.kiln_autocast_forget() end
end

--- Runs fn(...) with products and convolutions in half precision, and what that would harm in
--- float32; returns its results.  autocast(fn, ...) does so on every device, with bfloat16 on the CPU
--- and float16 on accelerators; autocast({ device = "cuda", dtype = kiln.bfloat16, enabled = true },
--- fn, ...) says which, and autocast("cuda", fn, ...) where.  Losses belong inside, backward outside.
---@param how function|string|table
---@param ... any
function M.autocast(how, ...)
  if type(how) == "function" then return M.autocast({}, how, ...) end
  if type(how) == "string" then how = { device = how } end
  how = check.options(how, { device = true, dtype = true, enabled = true }, "autocast")
  check.fn((...), "autocast", "fn")
  return M.with(wanted(how), ...)
end

--- What autocast does now, for M.with.
function M.now()
  local set = {}
  for _, kind in pairs(KINDS) do set[kind] = C.kiln_autocast(kind) end
  return set
end

--- Runs fn(...) with autocast as it was when now() returned `set`.
function M.with(set, fn, ...)
  local before
  return modes.during(function() before = enter(set) end, function() leave(before) end, fn, ...)
end

--- Is autocast on for this kind of device?
---@param device? string  "cuda" when left out
---@return boolean
function M.is_autocast_enabled(device)
  local _, kind = kind_of(device or "cuda", "is_autocast_enabled")
  return C.kiln_autocast(kind) ~= OFF
end

--- The dtype that products have under autocast on this kind of device.
---@param device? string  "cuda" when left out
---@return kiln.dtype
function M.get_autocast_dtype(device)
  local name, kind = kind_of(device or "cuda", "get_autocast_dtype")
  local code = C.kiln_autocast(kind)
  return code ~= OFF and dtypes.by_code[code] or USUAL[name]
end

return M
