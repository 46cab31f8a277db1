--- Prints what every op gives from the samples of the op table, for levels_spec.lua: a line a result,
-- `NAME<tab>KEY<tab>DTYPE<tab>NUMBER<tab>VALUES`.  The first line is the instruction-set level.
local kiln = require "kiln"
local rows = require "spec.support.rows"
local samples = require "spec.support.samples"
local tensors = require "spec.support.tensors"

kiln.set_num_threads(1)
print(kiln.config().cpu_level)
for _, row in ipairs(rows.public()) do
  for _, s in ipairs(samples.of(row)) do
    for _, dtype in ipairs { "float64", "float32" } do
      kiln.manual_seed(11)
      local ok, results = pcall(tensors.results, s, dtype)
      if ok then
        for i = 1, results.n do
          if kiln.is_tensor(results[i]) then
            local text = {}
            for k, v in ipairs(tensors.values(results[i])) do
              text[k] = v ~= v and "nan" or ("%.17g"):format(v)
            end
            print(table.concat({ row.name, s.key, dtype, i, table.concat(text, " ") }, "\t"))
          end
        end
      end
    end
  end
end
