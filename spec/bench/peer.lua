--- A process that answers commands with a line each: worker.lua or worker.py.
local Peer = {}
Peer.__index = Peer

--- command: what the shell runs; its standard input and output are the other's end.
function Peer.start(name, command)
  local pipe = os.tmpname()
  os.remove(pipe)
  assert(os.execute(("mkfifo '%s'"):format(pipe)) == 0, "cannot make a pipe")
  local input = assert(io.popen(("exec %s >'%s'"):format(command, pipe), "w"))
  local output = assert(io.open(pipe, "r"))
  os.remove(pipe)
  return setmetatable({ name = name, input = input, output = output }, Peer)
end

--- The answer to a command; an error when the process could not do it, or is gone.
function Peer:ask(...)
  local line = table.concat({ ... }, " ")
  self.input:write(line, "\n")
  self.input:flush()
  while true do
    local answer = self.output:read "*l"
    if not answer then error(("%s ended at: %s"):format(self.name, line), 0) end
    local mark, rest = answer:match "^([=!]) ?(.*)$"
    if mark == "=" then return rest end
    if mark == "!" then error(("%s: %s: %s"):format(self.name, line, rest), 0) end
  end
end

function Peer:stop()
  self.input:close()
  self.output:close()
end

return Peer
