--- Connectionist temporal classification (Graves et al. 2006): the forward algorithm over the target with
-- blanks between its labels, in logarithms, made of ops, so that gradients follow.
local kiln = require "kiln"
local args = require "kiln.utils.args"
local check = require "kiln.check"

local raise, got = check.raise, check.got

-- Stands for the logarithm of 0: finite, so that no gradient is NaN.
local NEVER = -1e30

local parse = args.define("ctc_loss", "log_probs: tensor, targets: tensor, input_lengths: any, "
  .. "target_lengths: any, blank: int = 1, reduction: mean|sum|none = mean, zero_infinity: bool = false")

local function lengths(what, v, n, most)
  if kiln.is_tensor(v) then v = v:tolist() end
  if type(v) ~= "table" or #v ~= n then
    raise("ctc_loss", "%s must be %d lengths, not %s", what, n, got(v))
  end
  for i, length in ipairs(v) do
    local fits = type(length) == "number" and length >= 0 and length <= most and length % 1 == 0
    if not fits then
      raise("ctc_loss", "%s[%d] must be a whole number in 0..%d, not %s", what, i, most, got(length))
    end
  end
  return v
end

-- The labels of each sample: rows of a 2-dim target, or parts of a 1-dim one.
local function labels_of(targets, sizes, classes, blank)
  local list, offset, flat = {}, 0, targets:tolist()
  for i, size in ipairs(sizes) do
    local row = {}
    for k = 1, size do
      local label = targets:dim() == 2 and flat[i][k] or flat[offset + k]
      local fits = label and label >= 1 and label <= classes and label % 1 == 0 and label ~= blank
      if not fits then
        raise("ctc_loss", "label %s of target %d at position %d is not in 1..%d, or is the blank (%d)",
          tostring(label), i, k, classes, blank)
      end
      row[k] = label
    end
    list[i], offset = row, offset + size
  end
  return list
end

--- log_probs [steps, n, classes] (or [steps, classes]), targets [n, longest] or all in one vector; labels
-- count from 1 and so does `blank`.
return function(...)
  local a = parse(...)
  local x, targets = a.log_probs, a.targets
  local single = x:dim() == 2
  if single then x = x:unsqueeze(2) end
  if x:dim() ~= 3 then raise("ctc_loss", "log_probs must have 3 dims, not %d", x:dim()) end
  local steps, n, classes = x:size(1), x:size(2), x:size(3)
  if a.blank < 1 or a.blank > classes then
    raise("ctc_loss", "blank must be in 1..%d, not %d", classes, a.blank)
  end
  if targets:dim() ~= 2 and targets:dim() ~= 1 or targets:dim() == 2 and targets:size(1) ~= n then
    raise("ctc_loss", "targets must be [%d, longest] or one vector, their shape is %s", n,
      tostring(targets.shape))
  end
  if targets.dtype == kiln.bool then raise("ctc_loss", "targets must hold labels, not bool") end
  local input_sizes = lengths("input_lengths", a.input_lengths, n, steps)
  local target_sizes = lengths("target_lengths", a.target_lengths, n, targets:size(targets:dim()))
  local labels = labels_of(targets, target_sizes, classes, a.blank)

  -- blank l1 blank l2 blank ...; a label may be reached from two before unless it repeats.
  local longest = 1
  for _, size in ipairs(target_sizes) do longest = math.max(longest, 2 * size + 1) end
  local extended, skip = {}, {}
  for i = 1, n do
    local row, allowed = {}, {}
    for s = 1, longest do
      local label = s % 2 == 0 and labels[i][s / 2]
      row[s] = label or a.blank
      allowed[s] = s > 2 and label ~= nil and label ~= false and label ~= labels[i][s / 2 - 1]
    end
    extended[i], skip[i] = row, allowed
  end
  local like = { dtype = x.dtype, device = x.device }
  extended = kiln.tensor(extended, { dtype = kiln.int64, device = x.device })
  skip = kiln.tensor(skip, { dtype = kiln.bool, device = x.device })
  local never = kiln.full({ n, longest }, NEVER, like)

  local function shifted(alpha, by)
    if longest <= by then return never end
    return kiln.cat({ never:narrow(2, 1, by), alpha:narrow(2, 1, longest - by) }, 2)
  end
  local function emit(t) return x:select(1, t):gather(2, extended) end

  local started = kiln.arange(1, longest + 1, { dtype = kiln.int64, device = x.device }):le(2)
  local alpha = kiln.where(started:unsqueeze(1):expand(n, longest), emit(1), never)
  for t = 2, steps do
    local reached = kiln.stack({ alpha, shifted(alpha, 1), kiln.where(skip, shifted(alpha, 2), never) }, 1)
    local next_alpha = reached:logsumexp(1) + emit(t)
    local running = {}
    for i = 1, n do running[i] = { t <= input_sizes[i] } end
    alpha = kiln.where(kiln.tensor(running, { dtype = kiln.bool, device = x.device }), next_alpha, alpha)
  end

  -- Ends: the last label or the blank behind it.
  local last = {}
  for i = 1, n do last[i] = { 2 * target_sizes[i] + 1, math.max(2 * target_sizes[i], 1) } end
  local ends = alpha:gather(2, kiln.tensor(last, { dtype = kiln.int64, device = x.device }))
  local empty = {}
  for i = 1, n do empty[i] = { false, target_sizes[i] == 0 } end
  ends = kiln.where(kiln.tensor(empty, { dtype = kiln.bool, device = x.device }), kiln.full({ n, 2 }, NEVER,
    like), ends)
  local loss = -ends:logsumexp(2)
  -- Of no steps there is nothing to pay for no label, and no way to any.
  local without, price = {}, {}
  for i = 1, n do
    without[i], price[i] = input_sizes[i] == 0, target_sizes[i] == 0 and 0 or -NEVER
  end
  without = kiln.tensor(without, { dtype = kiln.bool, device = x.device })
  loss = kiln.where(without, kiln.tensor(price, like), loss)
  local impossible = loss:detach():gt(-NEVER / 2)
  loss = kiln.where(impossible, kiln.full_like(loss:detach(), a.zero_infinity and 0 or math.huge), loss)

  if a.reduction == "sum" then return loss:sum() end
  if a.reduction == "none" then return single and loss:squeeze(1) or loss end
  local divisors = {}
  for i = 1, n do divisors[i] = math.max(target_sizes[i], 1) end
  return (loss / kiln.tensor(divisors, like)):mean()
end
