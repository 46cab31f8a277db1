--- Wrong arguments: every op answers each mistake with one line that begins with `kiln: NAME: `, at the
-- line of the caller, and leaves its arguments as they were.
local kiln = require "kiln"
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
  if row.writes then return kiln.Tensor[row.name .. "_"], row.name .. "_" end
  return kiln[row.name], row.name
end

-- Calls f and says what is wrong with how it failed, or nil.
local function complaint(name, f, ...)
  local ok, message = pcall(function(...) f(...) end, ...)
  if ok then return "is accepted" end
  message = tostring(message)
  if message:find "\n" then return "raises several lines: " .. message end
  if not message:find("kiln: " .. name .. ": ", 1, true) then return "raises: " .. message end
  if not message:find(HERE, 1, true) then return "is raised elsewhere: " .. message end
end

describe("wrong arguments", function()
  before_each(rows.count)
  after_each(rows.recount)

  for _, row in ipairs(rows.public()) do
    it(row.name, function()
      local f, name = caller(row)
      local problems = {}
      local function try(what, n, args)
        local why = complaint(name, f, unpack(args, 1, n))
        if why then problems[#problems + 1] = what .. " " .. why end
      end

      local first = row.parsed[1]
      if first and not (first.optional or first.has_default or first.kind == "any") then
        try("no argument", 0, {})
        try("nil", 1, { nil })
      end

      local s = samples.of(row)[1]
      local args, options = tensors.arguments(s, tensors.make)
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
            if not row.free_index then try(a.name .. " = 99s", s.n, changed) end
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
