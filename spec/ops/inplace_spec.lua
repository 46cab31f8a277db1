--- x:op_() against op(x), on contiguous tensors and on views, gradients included; and the out option.
local kiln = require "kiln"
local layouts = require "spec.support.layouts"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local TOLERANCE = 1e-11

local function has_inplace(row)
  return (row.inplace or row.writes) and not row.random
end

local function first_is_tensor(s)
  local t = s.tensors[1]
  return t and t.at == 1 and not t.item
end

-- op_(x, ...), the other arguments from the sample.
local function write(s, x)
  local args, options = tensors.arguments(s)
  args[1] = x
  local n = s.n
  if options then
    n = n + 1
    args[n] = options
  end
  return kiln.Tensor[s.row.name .. "_"](unpack(args, 1, n))
end

-- Does the result of op(x) fit into x?
local function fits(x, result)
  if not kiln.is_tensor(result) or tostring(x.shape) ~= tostring(result.shape) then return false end
  return x.dtype.is_floating_point or not result.dtype.is_floating_point
end

local function is_kept(base, view, before)
  -- everything but the view is as it was
  local now, mask = base:clone(), kiln.zeros_like(base)
  mask:as_strided(view:size(), view:stride(), view:storage_offset()):fill_(1)
  local a, b, m = tensors.values(now), tensors.values(before), tensors.values(mask)
  for i = 1, #a do
    if m[i] == 0 and a[i] ~= b[i] and (a[i] == a[i] or b[i] == b[i]) then return false end
  end
  return true
end

local function gradient(s, f)
  local x = tensors.make(s.tensors[1].value)
  x.requires_grad = true
  local y = f(x)
  if not y.requires_grad then return nil end
  local w = tensors.of(samples.noise(y:numel(), s.key), y.shape)
  return kiln.autograd.grad((y * w):sum(), x, { allow_unused = true })
end

local function check(s, bad)
  local x = tensors.make(s.tensors[1].value)
  local expected = tensors.results(s)[1]
  if not fits(x, expected) then
    local before = tensors.values(x)
    local ok, why = pcall(write, s, x)
    if ok then return bad "is written although the result has another shape or dtype" end
    if not tostring(why):find("kiln: " .. s.row.name .. "_?: ") then
      return bad("raised %s", tostring(why))
    end
    why = tensors.difference(tensors.values(x), before, 0)
    return why and bad("a refused write changed it: %s", why)
  end
  expected = expected:to(x.dtype)
  local version = x.version
  local result = write(s, x)
  if not (kiln.is_tensor(result) and result:is_same(x)) then bad "does not return the tensor" end
  local why = tensors.unequal(x, expected, TOLERANCE)
  if why then bad("%s", why) end
  if x.version <= version then bad "does not raise the version" end
  for _, layout in ipairs(layouts.layouts) do
    local base, view = layout.make(tensors.make(s.tensors[1].value))
    if view and not layout.changes then
      local before = base:clone()
      write(s, view)
      why = tensors.unequal(view:contiguous(), expected, TOLERANCE)
      if why then bad("%s: %s", layout.name, why) end
      if not is_kept(base, view, before) then bad("%s: writes beside the view", layout.name) end
    elseif view then
      local before = tensors.values(base)
      if view:numel() > 0 and pcall(write, s, view) then bad "writes into an expanded tensor" end
      why = tensors.difference(tensors.values(base), before, 0)
      if why then bad("a refused write into an expanded tensor changed it: %s", why) end
    end
  end
  local constant = s.row.grad == false or s.row.d and not s.row.d[s.row.parsed[1].name]
  if not constant and x.dtype.is_floating_point and not s.special and not s.row.writes then
    local want = gradient(s, function(leaf)
      local args, options = tensors.arguments(s)
      args[1] = leaf
      return tensors.call(s.row, args, s.n, options)[1]
    end)
    local got = gradient(s, function(leaf) return write(s, leaf:clone()) end)
    if want ~= nil then
      why = tensors.unequal(got, want, TOLERANCE)
      if why then bad("gradient: %s", why) end
    end
  end
end

local function reporter(problems, s)
  return function(format, ...)
    problems[#problems + 1] = ("(%s): "):format(s.key) .. format:format(...)
  end
end

describe("in place", function()
  before_each(rows.count)
  after_each(rows.recount)

  for _, row in ipairs(rows.public(has_inplace)) do
    it(row.name .. "_", function()
      local problems, checked = {}, false
      for _, s in ipairs(samples.of(row)) do
        local golden = rows.has_golden(row) and rows.golden(s)
        if first_is_tensor(s) and not (golden and golden.error) then
          checked = true
          local bad = reporter(problems, s)
          local ok, why = pcall(check, s, bad)
          if not ok then bad("raised %s", tostring(why)) end
        end
      end
      rows.report(problems)
      assert.is_true(checked, "no sample begins with a tensor")
    end)
  end
end)

describe("out", function()
  before_each(rows.count)
  after_each(rows.recount)

  for _, row in ipairs(rows.public(function(row) return not row.writes and not row.random end)) do
    local s = samples.of(row)[1]
    it(row.name, function()
      local results = tensors.results(s)
      local outs = {}
      for i = 1, results.n do
        if not kiln.is_tensor(results[i]) then return end
        outs[i] = kiln.full({ 3 }, 7, { dtype = results[i].dtype })
      end
      local args, options = tensors.arguments(s)
      local with = {}
      for k, v in pairs(options or {}) do with[k] = v end
      with.out = #outs == 1 and outs[1] or outs
      args[s.n + 1] = with
      local got = { n = #outs, kiln[row.name](unpack(args, 1, s.n + 1)) }
      for i = 1, #outs do
        assert.is_true(got[i]:is_same(outs[i]), "does not return out")
      end
      tensors.canonical(row, got)
      for i = 1, #outs do assert.is_nil(tensors.unequal(got[i], results[i], 0)) end
    end)
  end
end)
