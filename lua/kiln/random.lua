--- Random tensors, seeds and the state of generators.
-- Each device has one generator: a seed and a count of what was drawn (Philox).  The same seed gives
-- the same numbers with any number of threads.
local ffi = require "ffi"
local C = require("kiln.ffi").C
local args = require "kiln.args"
local check = require "kiln.check"
local create = require "kiln.create"
local devices = require "kiln.device"
local dtypes = require "kiln.dtype"

local M = {}

-- -- Seeds and states --------------------------------------------------------------------------

-- A whole number of at most 64 bits as uint64.
local function seed_of(v, name)
  if type(v) == "cdata" and (ffi.istype("int64_t", v) or ffi.istype("uint64_t", v)) then
    return ffi.cast("uint64_t", v)
  end
  return ffi.cast("uint64_t", ffi.cast("int64_t", check.int(v, name, "seed")))
end

-- A uint64 as a Lua number where that is exact.
local function plain(u) return u < 2 ^ 53 and tonumber(u) or u end

---@class kiln.Generator
---@field device? integer  its device in C; nil of one that draws on all
---@field words? ffi.cdata*  seed and count of one that is its own; without, it is the device's
local Generator = { __name = "Generator" }
Generator.__index = Generator

local function read(self)
  local words = self.words
  if not words then
    words = ffi.new "uint64_t[2]"
    C.kiln_rng_get(self.device, words, words + 1)
  end
  return words
end

local function write(self, seed, offset)
  if not self.words then return C.kiln_rng_set(self.device, seed, offset) end
  self.words[0], self.words[1] = seed, offset
end

local function new(device, name, words)
  local code = device ~= nil and check.device(device, name) or nil
  return setmetatable({ device = code, words = words }, Generator)
end

--- The generator of a device ("cpu" when left out).
---@param device? string
---@return kiln.Generator
function M.generator(device) return new(device == nil and "cpu" or device, "generator") end

local SEED = 67280421310721 -- PyTorch's

--- A generator of its own, which starts from a fixed seed and draws only where it is asked to: in `draw`, and
-- where a loader, a sampler or nn.init takes a `generator`.
---@param device? string  what it is for: numbers of others come from theirs; all devices when left out
---@return kiln.Generator
function M.Generator(device) return new(device, "Generator", ffi.new("uint64_t[2]", SEED, 0)) end

function M.is_generator(v) return type(v) == "table" and getmetatable(v) == Generator end

function Generator:manual_seed(seed)
  seed = seed_of(seed, "manual_seed")
  if self.words then write(self, seed, 0) else C.kiln_seed(self.device, seed) end
  return self
end

function Generator:initial_seed()
  return plain(self.words and self.words[0] or C.kiln_initial_seed(self.device))
end

--- A seed that no one can foresee; returns it.
function Generator:seed()
  local f = assert(io.open("/dev/urandom", "rb"))
  local bytes = f:read(6)
  f:close()
  local seed = 0
  for i = 1, 6 do seed = seed * 256 + bytes:byte(i) end
  self:manual_seed(seed)
  return seed
end

local function pack(...) return { n = select("#", ...), ... } end

--- fn(...), whose random numbers come from this generator; those of several devices are the same.
function Generator:draw(fn, ...)
  check.fn(fn, "draw", "fn")
  if not self.words then return fn(...) end
  local words, there, after = self.words, {}, ffi.new "uint64_t[2]"
  local first, last = self.device or 0, self.device or C.kiln_device_count()
  for device = first, last do
    there[device] = ffi.new "uint64_t[2]"
    C.kiln_rng_get(device, there[device], there[device] + 1)
    C.kiln_rng_set(device, words[0], words[1])
  end
  local results = pack(pcall(fn, ...))
  for device = first, last do
    C.kiln_rng_get(device, after, after + 1)
    -- It goes on behind the most that was drawn anywhere, or from another seed that fn gave.
    if after[0] ~= words[0] or after[1] > words[1] then words[0], words[1] = after[0], after[1] end
    C.kiln_rng_set(device, there[device][0], there[device][1])
  end
  if not results[1] then check.rethrow(results[2]) end
  return unpack(results, 2, results.n)
end

--- fn(...), by a generator if there is one.
---@param generator? kiln.Generator
function M.drawn(generator, fn, ...)
  if generator then return generator:draw(fn, ...) end
  return fn(...)
end

local STATE_BYTES = 16

--- The state as 16 bytes in a uint8 tensor.
function Generator:get_state()
  return create.from_string(ffi.string(read(self), STATE_BYTES), { STATE_BYTES }, "uint8")
end

--- Puts a state back that get_state() gave.
---@param state kiln.Tensor
function Generator:set_state(state)
  check.tensor(state, "set_rng_state", "state")
  if state.dtype.name ~= "uint8" or state:numel() ~= STATE_BYTES then
    check.raise("set_rng_state", "state must be 16 bytes from get_rng_state(), got %s", check.got(state))
  end
  local words = ffi.new "uint64_t[2]"
  local host = state:cpu():contiguous()
  ffi.copy(words, C.kiln_tensor_data(host.p), STATE_BYTES)
  write(self, words[0], words[1])
  return self
end

M.default_generator = M.generator()

--- Seeds the generators of all devices.
---@param seed integer
function M.manual_seed(seed)
  local u = seed_of(seed, "manual_seed")
  for device = 0, C.kiln_device_count() do C.kiln_seed(device, u) end
  return M.default_generator
end

--- Seeds the CPU's generator from the system's randomness; returns the seed.
function M.seed() return M.default_generator:seed() end

--- The seed that the CPU's generator started from.
function M.initial_seed() return M.default_generator:initial_seed() end

--- The state of the CPU's generator, a uint8 tensor.
function M.get_rng_state() return M.default_generator:get_state() end

--- Puts such a state back.
function M.set_rng_state(state) M.default_generator:set_state(state) end

-- -- Tensors -----------------------------------------------------------------------------------

local function floating(x, name)
  if not x.dtype.is_floating_point then
    check.raise(name, "a floating dtype is needed, got %s", x.dtype.name)
  end
  return x
end

-- Makes an empty tensor, fills it with recording off, then applies requires_grad.
local function filled(name, fill, maker, ...)
  local given, n = { ... }, select("#", ...)
  local options = given[n]
  local on
  if args.is_options(options) and options.requires_grad ~= nil then
    on = check.bool(options.requires_grad, name, "requires_grad")
    given[n] = args.with(options, "requires_grad", nil)
  end
  local generator = args.is_options(given[n]) and given[n].generator
  if generator then
    if not M.is_generator(generator) then
      check.raise(name, "generator must be a generator, got %s", check.got(generator))
    end
    given[n] = args.with(given[n], "generator", nil)
  end
  local x = create.called(maker, name)(unpack(given, 1, n))
  if generator and generator.device and generator.device ~= C.kiln_tensor_device(x.p) then
    check.raise(name, "the generator is for %s, the tensor would be on %s", devices.of(generator.device),
      x.device)
  end
  M.drawn(generator, fill, x, name)
  if on ~= nil then x.requires_grad = on end
  return x
end

local function uniform(x, name) floating(x, name):uniform_() end
local function normal(x, name) floating(x, name):normal_() end

--- Uniform numbers in [0, 1): kiln.rand(2, 3, { dtype, device, requires_grad })
---@return kiln.Tensor
function M.rand(...) return filled("rand", uniform, "empty", ...) end

--- Normal numbers of mean 0 and standard deviation 1: kiln.randn(2, 3, options)
---@return kiln.Tensor
function M.randn(...) return filled("randn", normal, "empty", ...) end

--- Uniform numbers with the shape, dtype and device of x.
function M.rand_like(x, options) return filled("rand_like", uniform, "empty_like", x, options) end

--- Normal numbers with the shape, dtype and device of x.
function M.randn_like(x, options) return filled("randn_like", normal, "empty_like", x, options) end

local function bounds(name, low, high)
  low, high = check.int(low, name, "low"), check.int(high, name, "high")
  if low >= high then check.raise(name, "low (%d) must be below high (%d)", low, high) end
  return low, high
end

-- Whole numbers are int64 unless the options say otherwise.
local function integer_options(name, options)
  check.option_table(options, name)
  if options == nil then return { dtype = dtypes.by_name.int64 } end
  return options.dtype ~= nil and options or args.with(options, "dtype", dtypes.by_name.int64)
end

--- Whole numbers of low..high - 1, int64 unless a dtype is given:
--- kiln.randint(low, high, shape, options) or kiln.randint(high, shape, options).
---@return kiln.Tensor
function M.randint(low, high, shape, options)
  if type(high) == "table" then low, high, shape, options = 0, low, high, shape end
  low, high = bounds("randint", low, high)
  if type(shape) ~= "table" then
    check.raise("randint", "shape must be a list of sizes, got %s", check.got(shape))
  end
  return filled("randint", function(x) x:random_(low, high) end, "empty", shape,
    integer_options("randint", options))
end

--- Whole numbers of low..high - 1 with the shape, dtype and device of x.
function M.randint_like(x, low, high, options)
  if high == nil or type(high) == "table" then low, high, options = 0, low, high end
  low, high = bounds("randint_like", low, high)
  return filled("randint_like", function(t) t:random_(low, high) end, "empty_like", x, options)
end

local function check_std(std)
  local least = std
  if check.is_tensor(std) then
    least = check.tensor(std, "normal", "std"):numel() > 0 and std:detach():min():item() or 0
  end
  least = tonumber(least)
  if least < 0 or least ~= least then check.raise("normal", "std must be at least 0, got %.14g", least) end
  return std
end

-- Numbers around the elements of mean, std of each from there: one of the two is a tensor.
local function normal_around(mean, std, options)
  local function check_one(v, argument)
    return (check.is_tensor(v) and check.tensor or check.number)(v, "normal", argument)
  end
  check_one(mean, "mean")
  check_one(std, "std")
  local like = check.is_tensor(mean) and mean or std
  if check.is_tensor(mean) and check.is_tensor(std) then like = mean + std end
  return filled("normal", function(x)
    floating(x, "normal"):normal_()
    x:copy_(x * check_std(std) + mean)
  end, "empty_like", like:detach(), options or {})
end

--- Normal numbers: kiln.normal(mean, std, shape, options); mean and std may be tensors, which then
--- give the shape: kiln.normal(mean, std, options).
---@return kiln.Tensor
function M.normal(mean, std, shape, options)
  local name = "normal"
  if check.is_tensor(std) or check.is_tensor(mean) then
    if args.is_options(std) then std, shape = nil, std end
    if options ~= nil or shape ~= nil and not args.is_options(shape) then
      check.raise(name, "mean and std give the shape where one is a tensor; shape was given, too: %s",
        check.got(shape))
    end
    return require("kiln.modes").no_grad(normal_around, mean, std == nil and 1 or std, shape)
  end
  mean = mean == nil and 0 or check.number(mean, name, "mean")
  std = check_std(std == nil and 1 or check.number(std, name, "std"))
  if type(shape) ~= "table" then
    check.raise(name, "shape must be a list of sizes, got %s", check.got(shape))
  end
  return filled(name, function(x) floating(x, name):normal_(mean, std) end, "empty", shape,
    options)
end

return M
