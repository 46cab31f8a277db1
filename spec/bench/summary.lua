--- What the rounds of a case say.  A round is one time of each library, taken one right after the other.
-- It forgets no round, however far off: medians are there for that.
local function middle(list)
  local sorted = { unpack(list) }
  table.sort(sorted)
  local n = #sorted
  return n % 2 == 1 and sorted[(n + 1) / 2] or (sorted[n / 2] + sorted[n / 2 + 1]) / 2
end

--- rounds: a list of times for each name, one of them "kiln", all as long.  For each name the `median` and
-- the `least` of its times, and for all but kiln `ratio`: the median over the rounds of its time over kiln's
-- in the same round.  A machine that is slower in one round than in the next is so for both sides of a ratio.
---@param rounds table<string, number[]>
return function(rounds)
  local summary = {}
  for name, times in pairs(rounds) do
    assert(#times == #rounds.kiln, "a round without one of its times")
    summary[name] = { median = middle(times), least = math.min(unpack(times)) }
    if name ~= "kiln" then
      local ratios = {}
      for i, time in ipairs(times) do ratios[i] = time / rounds.kiln[i] end
      summary[name].ratio = middle(ratios)
    end
  end
  return summary
end
