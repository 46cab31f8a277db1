--- Which lines of the CUDA kernels nothing has run, from what `gcov -t` prints on standard input; exits with
-- 1 where there is one.  spec/cuda/kernels.sh calls it.  A line counts as run if it was in any file and any
-- instance of a template that holds it.
-- What the host does where something failed, where it refuses or has nothing to do, is not asked for.
local ASIDE = { "KILN_ENOMEM", "kiln_fail%(", "^%s*return NULL;$", "^%s*return KILN_OK;$", "^%s*return;$",
  "^%s*break;$", "^%s*return status;$", "^%s*return done;$", "^%s*continue;$" }

local runs, text, order = {}, {}, {}
local path

for line in io.lines() do
  local count, number, source = line:match "^%s*([^:]+):%s*(%d+):(.*)$"
  number = tonumber(number)
  if number == 0 then
    local name = source:match "^Source:(.*)$"
    if name then path = name:match "/?(cuda/[%w_]+%.%a+)$" end
  elseif number and path and count ~= "-" then
    local key = path .. ":" .. number
    if not text[key] then
      order[#order + 1] = { path = path, number = number, key = key }
      text[key] = source
    end
    runs[key] = runs[key] or not count:find "[#=]"
  end
end

local function is_aside(source)
  for _, pattern in ipairs(ASIDE) do
    if source:find(pattern) then return true end
  end
end

table.sort(order, function(a, b) return a.path < b.path or a.path == b.path and a.number < b.number end)
local missed = 0
for _, at in ipairs(order) do
  if not runs[at.key] and not is_aside(text[at.key]) then
    missed = missed + 1
    print(at.key .. ": " .. text[at.key])
  end
end
print(("%d of %d lines were not run"):format(missed, #order))
os.exit(#order > 0 and missed == 0 and 0 or 1)
