--- What a misspelt name was perhaps meant to be.  Only errors ask, so it may compare with every name there
-- is.  It refuses to put the other name to use.
local M = {}

-- What other libraries, or habit, call a thing; the ones that a package or an option list has are meant.
local ELSEWHERE = {
  astype = { "to" }, axis = { "dim", "dims" }, axes = { "dims" }, copy = { "clone" }, deepcopy = { "clone" },
  desc = { "label" }, inference_mode = { "no_grad" }, learning_rate = { "lr" },
  learningRate = { "lr" }, len = { "size", "numel" }, length = { "size", "numel" },
  linalg = { "inverse", "solve", "svd" }, version = { "config" }, wd = { "weight_decay" },
  -- Torch7
  BatchNormalization = { "BatchNorm1d" }, BCECriterion = { "BCELoss" }, ClassNLLCriterion = { "NLLLoss" },
  CrossEntropyCriterion = { "CrossEntropyLoss" }, LookupTable = { "Embedding" }, MSECriterion = { "MSELoss" },
  SpatialAveragePooling = { "AvgPool2d" }, SpatialBatchNormalization = { "BatchNorm2d" },
  SpatialConvolution = { "Conv2d" }, SpatialMaxPooling = { "MaxPool2d" }, View = { "Flatten" },
}

-- Of those, the ones in `names`; nil when there is none.
local function elsewhere(name, names)
  local has, list = {}, {}
  for _, known in ipairs(ELSEWHERE[name] and names or {}) do has[known] = true end
  for _, known in ipairs(ELSEWHERE[name] or {}) do
    if has[known] then list[#list + 1] = known end
  end
  return #list > 0 and list or nil
end

-- Names that differ in capitals and underscores only are the same word: Conv2D, logsoftmax, to_list.
local function word(name) return (name:lower():gsub("_", "")) end

-- How many letters two words are apart: one more, one less, another one, or two in the wrong order count one.
local function distance(a, b)
  local n, m = #a, #b
  local before, last, row = {}, {}, {}
  for j = 0, m do last[j] = j end
  for i = 1, n do
    row[0] = i
    for j = 1, m do
      local same = a:byte(i) == b:byte(j)
      local d = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        d = math.min(d, before[j - 2] + 1)
      end
      row[j] = d
    end
    before, last, row = last, row, before
  end
  return last[m]
end

-- How far a word of this length may be off and still be told from others.
local function tolerance(length)
  if length < 3 then return 0 end
  return length < 5 and 1 or length < 9 and 2 or 3
end

--- Those of `names` that are nearest to `name`, in meaning or else in letters, at most three; none when all
--- are far.
---@param name string
---@param names string[]
---@return string[]
function M.nearest(name, names)
  local meant = elsewhere(name, names)
  if meant then return meant end
  local wanted = word(name)
  local least, list, seen = tolerance(#wanted), {}, {}
  for _, known in ipairs(names) do
    local candidate = word(known)
    if not seen[known] and math.abs(#candidate - #wanted) <= least then
      local d = distance(wanted, candidate)
      if d < least then least, list = d, {} end
      if d <= least then list[#list + 1], seen[known] = known, true end
    end
  end
  table.sort(list, function(a, b)
    local same_end_a, same_end_b = a:sub(-1) == name:sub(-1), b:sub(-1) == name:sub(-1)
    if same_end_a ~= same_end_b then return same_end_a end
    return a < b
  end)
  return { unpack(list, 1, 3) }
end

--- "; did you mean PREFIXname?" for the end of a message, or "".
---@param name any
---@param names string[]
---@param prefix? string  what stands before a name
---@return string
function M.hint(name, names, prefix)
  local list = type(name) == "string" and M.nearest(name, names) or {}
  if #list == 0 then return "" end
  for i, known in ipairs(list) do list[i] = (prefix or "") .. known end
  return "; did you mean " .. table.concat(list, " or ") .. "?"
end

return M
