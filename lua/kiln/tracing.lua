--- What every op call does first in anomaly mode: mark() notes where in the Lua program we are.
-- `mark` is nil when the mode is off, so that a call costs one test.  kiln.autograd.anomaly sets it.
---@type { mark: fun()? }
return {}
