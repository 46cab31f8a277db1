std = "luajit"
cache = false
codes = true
max_line_length = 110
files["lua/kiln/ops"] = { max_line_length = 132 } -- rows of a table
files["lua/kiln/nn/texts.lua"] = { max_line_length = false } -- sentences
files["spec"] = { std = "+busted" }
exclude_files = { "build/", "build.luarocks/", "spec/bench/recorded/" }
