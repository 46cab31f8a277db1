--- The kinds of arguments of ops that are handled alike: one tensor; a list of numbers.  kiln.ops says
-- what each means.
return {
  one_tensor = { tensor = true, raw = true, index = true, mask = true, host = true },
  numbers = { shape = true, axes = true, ints = true },
}
