--- Wrong arguments: every op answers each mistake with one line that begins with `kiln: NAME: `, at the
-- line of the caller.  What a composite's own ops say follows its name: `kiln: NAME: INNER: `.
local kiln = require "kiln"
local device = require "spec.support.device"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

local TENSOR = { tensor = true, raw = true, index = true, mask = true }
local HERE = "arguments_spec.lua:"

-- What does not fit an argument of each kind: description -> value.
local function wrong(kind)
  local far = { "99", 99 }
  local fraction, zero, text = { "1.5", 1.5 }, { "0", 0 }, { "a string", "nonsense" }
  local fn, object = { "a function", print }, { "a table", { nonsense = 1 } }
  if TENSOR[kind] then return { text, fn, object } end
  if kind == "list" then return { text, fn, { "a number", 3 }, { "a list of strings", { "a" } } } end
  if kind == "axis" then return { far, fraction, zero, text, fn, object, { "-99", -99 } } end
  if kind == "position" then return { fraction, zero, text, fn, object } end
  if kind == "int" then return { fraction, text, fn, object } end
  if kind == "number" then return { text, fn, object } end
  if kind == "bool" then return { text, fn, { "a number", 3 } } end
  if kind == "axes" then
    return { text, fn, { "{1.5}", { 1.5 } }, { "{99}", { 99 } }, { "{0}", { 0 } } }
  end
  if kind == "shape" or kind == "ints" then
    return { text, fn, { "{1.5}", { 1.5 } }, { "{'a'}", { "a" } } }
  end
  if kind == "dtype" or kind == "device" or kind == "word" then
    return { text, fn, { "a number", 77 } }
  end
  return {}
end

local function caller(row)
  return row.writes and kiln.Tensor[row.name .. "_"] or kiln[row.name]
end

-- Any positive position is right for these.
local FREE = { bincount = true }

-- Kernels that speak in the name of the loss that people call.
local SPEAKS_AS = { class_nll = "nll_loss", softmax_nll = "cross_entropy",
  multilabel_margin = "multilabel_margin_loss" }

-- Calls f and says what is wrong with how it failed, or nil.
local function complaint(row, f, ...)
  local ok, message = pcall(function(...) f(...) end, ...)
  local late = ok
  if ok then ok, message = pcall(device.settle) end
  if ok then return "is accepted" end
  message = tostring(message)
  if message:find "\n" then return "raises several lines: " .. message end
  if late then -- a kernel knows neither the line nor the composite that it was called from
    return not message:find "kiln: [%w_]+: .* at position .* is out of range" and "raises: " .. message or nil
  end
  local name = row.name .. (row.writes and "_?" or "")
  local known = message:find("kiln: " .. name .. ": ")
    or SPEAKS_AS[row.name] and message:find("kiln: " .. SPEAKS_AS[row.name] .. ": ", 1, true)
  if not known then return "raises: " .. message end
  if not message:find(HERE, 1, true) then return "is raised elsewhere: " .. message end
end

describe("wrong arguments", function()
  before_each(rows.count)
  after_each(rows.recount)

  for _, row in ipairs(rows.public()) do
    it(row.name, function()
      local f = caller(row)
      local problems = {}
      local function try(what, n, args)
        local why = complaint(row, f, unpack(args, 1, n))
        if why then problems[#problems + 1] = what .. " " .. why end
      end

      local first = row.parsed[1]
      if first and not (first.optional or first.has_default or first.kind == "any") then
        try("no argument", 0, {})
        try("nil", 1, { nil })
      end

      local s = samples.of(row)[1]
      local args, options = tensors.arguments(s)
      if not options then
        for i, a in ipairs(row.parsed) do
          for _, case in ipairs(wrong(a.kind)) do
            local changed = { unpack(args, 1, s.n) }
            changed[i] = case[2]
            -- a lone position stands for a whole list, so its range is not wrong by itself
            try(("%s = %s"):format(a.name, case[1]), math.max(s.n, i), changed)
          end
          if a.kind == "index" and args[i] ~= nil then
            local changed = { unpack(args, 1, s.n) }
            changed[i] = changed[i]:to "float64"
            try(a.name .. " = floats", s.n, changed)
            changed[i] = kiln.full_like(args[i], 99)
            if not FREE[row.name] then try(a.name .. " = 99s", s.n, changed) end
          end
          if a.kind == "mask" and args[i] ~= nil then
            local changed = { unpack(args, 1, s.n) }
            changed[i] = changed[i]:to "float64"
            try(a.name .. " = floats", s.n, changed)
          end
        end
        local last = row.parsed[#row.parsed]
        if last and last.kind ~= "any" then
          local changed = { unpack(args, 1, s.n) }
          changed[#row.parsed + 1] = { nonsense = 1 }
          try("an unknown option", #row.parsed + 1, changed)
        end
        if last and not ({ any = 1, shape = 1, axes = 1, ints = 1 })[last.kind] then
          local changed = { unpack(args, 1, s.n) }
          for i = s.n + 1, #row.parsed do changed[i] = row.parsed[i].default end
          changed[#row.parsed + 1] = 1
          changed[#row.parsed + 2] = 1
          try("too many arguments", #row.parsed + 2, changed)
        end
      end
      rows.report(problems)
    end)
  end
end)
