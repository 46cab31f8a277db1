--- A busted output handler: the plain terminal report, then one line that a script can read,
-- `N passed, N failed, N skipped`.  Errors outside a test (syntax, setup) count as failures.
return function(options)
  local busted = require "busted"
  local handler = require "busted.outputHandlers.plainTerminal"(options)
  busted.subscribe({ "suite", "end" }, function()
    io.write(("%d passed, %d failed, %d skipped\n"):format(handler.successesCount,
      handler.failuresCount + handler.errorsCount, handler.pendingsCount))
    io.flush()
    return nil, true
  end, { priority = 100 })
  return handler
end
