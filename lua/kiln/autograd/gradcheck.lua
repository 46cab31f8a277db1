--- gradcheck and gradgradcheck: gradients against finite differences, with a report.
local C = require("kiln.ffi").C
local backward = require "kiln.autograd.backward"
local check = require "kiln.check"
local create = require "kiln.create"
local hold = require "kiln.hold"
local modes = require "kiln.modes"

local M = {}

local OPTIONS = { eps = 1, atol = 1, rtol = 1, raise_exception = 1 }
local TWICE = { eps = 1, atol = 1, rtol = 1, raise_exception = 1, gen_non_contig_grad_outputs = 1 }
local SHOWN = 5 -- mismatches a report lists

-- Offsets of all elements, row by row.
local function offsets_of(x)
  local shape, stride, list = x.shape, x:stride(), {}
  local function walk(d, offset)
    if d > #shape then
      list[#list + 1] = offset
      return
    end
    for i = 0, shape[d] - 1 do walk(d + 1, offset + i * stride[d]) end
  end
  walk(1, 0)
  return list
end

local function share_memory(x)
  local seen = {}
  for _, offset in ipairs(offsets_of(x)) do
    if seen[offset] then return true end
    seen[offset] = true
  end
  return false
end

local function tensor_inputs(inputs, name)
  if check.is_tensor(inputs) then inputs = { inputs } end
  if type(inputs) ~= "table" then
    check.raise(name, "inputs must be a list of arguments, got %s", check.got(inputs))
  end
  local list, any = {}, false
  for i = 1, #inputs do
    local x = inputs[i]
    if check.is_tensor(x) and check.tensor(x, name, "an input").requires_grad then
      any = true
      if x.dtype.name ~= "float64" then
        check.raise(name, "input %d is %s; finite differences need float64", i, x.dtype.name)
      end
      if share_memory(x) then
        check.raise(name, "elements of input %d share memory: one cannot be varied on its own; clone it "
          .. "first", i)
      end
      list[#list + 1] = { x = x, at = i }
    end
  end
  if not any then check.raise(name, "no input requires grad") end
  return inputs, list
end

-- Those of a function's results, which may stand in a list.
local function floating_outputs(first, ...)
  local list, all, n = {}, { first, ... }, 1 + select("#", ...)
  if type(first) == "table" and n == 1 then all, n = first, #first end
  for i = 1, n do
    local y = all[i]
    if check.is_tensor(y) and y.dtype.is_floating_point then list[#list + 1] = { y = y, at = i } end
  end
  return list
end

-- "[2, 1]" for element i (from 1) of x.
local function place(x, i)
  local shape, t = x.shape, {}
  i = i - 1
  for d = #shape, 1, -1 do
    t[d] = i % shape[d] + 1
    i = (i - t[d] + 1) / shape[d]
  end
  return "[" .. table.concat(t, ", ") .. "]"
end

local function values_of(y)
  local v = y:detach():double():contiguous():view(-1):tolist()
  return v
end

-- Memory that this can write and whose offsets are x's, and run with what was written there as x.  A device's
-- memory cannot be written from here: the function gets copies in x's place.
local function open(run, x, all)
  if x.device == "cpu" then return x, run end
  local host, places = x:detach():cpu():contiguous(), {}
  for i = 1, #all do
    if check.is_tensor(all[i]) and all[i]:is_same(x) then places[#places + 1] = i end
  end
  return host, function()
    local moved = host:to(x.device):requires_grad_(true)
    for _, i in ipairs(places) do all[i] = moved end
    local ok, values = pcall(run)
    for _, i in ipairs(places) do all[i] = x end
    if not ok then check.rethrow(values) end
    return values
  end
end

-- columns[output][element of the input] = list of differences, one an element of the output.
local function numeric_jacobian(run, x, all, n_outputs, eps)
  local host, run_with = open(run, x, all)
  local columns = {}
  for k = 1, n_outputs do columns[k] = {} end
  local function differences(p)
    for j, offset in ipairs(offsets_of(host)) do
      local kept = p[offset]
      local function at(v)
        p[offset] = v
        local ok, values = pcall(run_with)
        p[offset] = kept
        return ok and values or check.rethrow(values)
      end
      local high, low = at(kept + eps), at(kept - eps)
      for k = 1, n_outputs do
        local column = {}
        for i = 1, #high[k] do column[i] = (high[k][i] - low[k][i]) / (2 * eps) end
        columns[k][j] = column
      end
    end
  end
  C.kiln_tensor_tidy(host.p)
  hold.during(C.KILN_HOLD_GRADCHECK, { host }, differences, host:data_ptr())
  return columns
end

-- rows[element of the output][input] = list of derivatives by the input's elements.
local function analytic_rows(y, targets, scale)
  local rows = {}
  for i = 1, y:numel() do
    local seed = create.zeros(y:numel(), { dtype = y.dtype, device = y.device })
    seed[i] = scale or 1
    local g = { backward.grad(y, targets, seed:view(y.shape), { retain_graph = true, allow_unused = true }) }
    rows[i] = {}
    for t = 1, #targets do rows[i][t] = g[t] and values_of(g[t]) or false end
  end
  return rows
end

local function compare(report, o, output, inputs, columns, rows)
  for t, input in ipairs(inputs) do
    local n = input.x:numel()
    for i = 1, output.y:numel() do
      local row = rows[i][t]
      for j = 1, n do
        local analytic = row and row[j] or 0
        local numeric = columns[t][output.k][j][i]
        local agrees = math.abs(analytic - numeric) <= o.atol + o.rtol * math.abs(numeric)
        if not agrees then
          report.count = report.count + 1
          if report.count <= SHOWN then
            report[#report + 1] = ("output %d %s by input %d %s: numeric %.10g, analytic %.10g"):format(
              output.at, place(output.y, i), input.at, place(input.x, j), numeric, analytic)
          end
        end
        report.compared = report.compared + 1
      end
    end
  end
end

local function options_of(options, name, known)
  local o = check.options(options, known, name)
  local raise = o.raise_exception
  if raise == nil then raise = true end
  return {
    eps = o.eps ~= nil and check.number(o.eps, name, "eps") or 1e-6,
    atol = o.atol ~= nil and check.number(o.atol, name, "atol") or 1e-5,
    rtol = o.rtol ~= nil and check.number(o.rtol, name, "rtol") or 1e-3,
    raise = check.bool(raise, name, "raise_exception"),
    spread = o.gen_non_contig_grad_outputs ~= nil
      and check.bool(o.gen_non_contig_grad_outputs, name, "gen_non_contig_grad_outputs") or false,
  }
end

local function run_check(fn, inputs, o, name)
  local all, list = tensor_inputs(inputs, name)
  local outputs = floating_outputs(modes.enable_grad(fn, unpack(all, 1, #all)))
  local differentiable, targets = {}, {}
  for k, output in ipairs(outputs) do
    output.k = k
    if output.y.requires_grad then differentiable[#differentiable + 1] = output end
  end
  if #differentiable == 0 then check.raise(name, "no output of the function requires grad") end
  for t, input in ipairs(list) do targets[t] = input.x end
  local function run()
    return modes.no_grad(function()
      local values = {}
      for k, output in ipairs(floating_outputs(fn(unpack(all, 1, #all)))) do
        values[k] = values_of(output.y)
      end
      if #values ~= #outputs then
        check.raise(name, "fn gave %d floating tensors, and %d when nothing is recorded", #outputs, #values)
      end
      for k, output in ipairs(outputs) do
        if #values[k] ~= output.y:numel() then
          check.raise(name, "output %d of fn has %d elements, and %d when nothing is recorded", output.at,
            output.y:numel(), #values[k])
        end
      end
      return values
    end)
  end
  local report = { count = 0, compared = 0 }
  local columns = {}
  for t, input in ipairs(list) do columns[t] = numeric_jacobian(run, input.x, all, #outputs, o.eps) end
  for _, output in ipairs(differentiable) do
    compare(report, o, output, list, columns, analytic_rows(output.y, targets))
    for i, row in ipairs(analytic_rows(output.y, targets, 0)) do
      for t, values in ipairs(row) do
        for j, v in ipairs(values or {}) do
          if v ~= 0 then
            report.count, report.compared = report.count + 1, report.compared + 1
            report[#report + 1] = ("output %d %s by input %d %s: the gradient of 0 is %.10g; backward must "
              .. "multiply by its gradient"):format(output.at, place(output.y, i), list[t].at,
              place(list[t].x, j), v)
            break
          end
        end
      end
    end
  end
  return report
end

local function finish(report, o, name)
  if report.count == 0 then return true end
  local text = ("%d of %d derivatives differ (atol %g, rtol %g): %s"):format(report.count, report.compared,
    o.atol, o.rtol, table.concat(report, "\n  "))
  if report.count > #report then text = text .. ("\n  ... and %d more"):format(report.count - #report) end
  if o.raise then check.raise(name, "%s", text) end
  return false, text
end

--- Compares the gradients of fn(...) with finite differences.  inputs: its arguments; those that
--- require grad must be float64.  Raises with a report of what differs, or returns false and the
--- report when raise_exception is false; its first line says what and how, more lines follow for the others.
---@param fn function
---@param inputs any[]|kiln.Tensor
---@param options? { eps?: number, atol?: number, rtol?: number, raise_exception?: boolean }
---@return boolean ok, string? report
function M.gradcheck(fn, inputs, options)
  check.fn(fn, "gradcheck", "fn")
  local o = options_of(options, "gradcheck", OPTIONS)
  return finish(run_check(fn, inputs, o, "gradcheck"), o, "gradcheck")
end

--- The same for second derivatives.  grad_outputs: gradients of the outputs; random ones when left
--- out, not contiguous with the option gen_non_contig_grad_outputs.
---@param fn function
---@param inputs any[]|kiln.Tensor
---@param grad_outputs? kiln.Tensor[]|table
---@param options? table
---@return boolean ok, string? report
function M.gradgradcheck(fn, inputs, grad_outputs, options)
  local name = "gradgradcheck"
  check.fn(fn, name, "fn")
  if require("kiln.args").is_options(grad_outputs) then grad_outputs, options = nil, grad_outputs end
  local o = options_of(options, name, TWICE)
  local all, list = tensor_inputs(inputs, name)
  local seeds = grad_outputs
  if check.is_tensor(seeds) then seeds = { seeds } end
  if seeds == nil then
    seeds = {}
    for _, output in ipairs(floating_outputs(modes.enable_grad(fn, unpack(all, 1, #all)))) do
      if output.y.requires_grad then
        local g = require("kiln.random").randn_like(output.y:detach(), { dtype = "float64" })
        if o.spread then g = g:unsqueeze(-1):repeat_interleave(2, -1):select(-1, 1) end
        g.requires_grad = true
        seeds[#seeds + 1] = g
      end
    end
  end
  local n = #all
  local arguments = { unpack(all, 1, n) }
  for _, g in ipairs(seeds) do arguments[#arguments + 1] = g end
  local function first_derivatives(...)
    local given = { ... }
    local roots, targets = {}, {}
    for _, output in ipairs(floating_outputs(modes.enable_grad(fn, unpack(given, 1, n)))) do
      if output.y.requires_grad then roots[#roots + 1] = output.y end
    end
    for t, input in ipairs(list) do targets[t] = given[input.at] end
    local results = { modes.enable_grad(backward.grad, roots, targets, { unpack(given, n + 1) },
      { create_graph = true, allow_unused = true }) }
    for t = 1, #targets do
      if not results[t] then results[t] = create.zeros_like(targets[t]) end
    end
    return unpack(results, 1, #targets)
  end
  return finish(run_check(first_derivatives, arguments, o, name), o, name)
end

return M
