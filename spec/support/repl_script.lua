-- What spec/repl_spec.lua gives to `kiln -i`: its local and global variables are there at the prompt.
local kiln = require "kiln"
local made_here = kiln.full({ 2 }, 7) -- luacheck: ignore
arguments = arg -- luacheck: globals arguments
