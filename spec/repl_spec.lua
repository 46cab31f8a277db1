--- The `kiln` command: the prompt on a real terminal (tmux), input from a pipe, its options.
local libc = require "kiln.utils.libc"

local KILN = "lua/bin/kiln"
local folder -- of this run: history, the terminal's socket

local function sh(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo \"status $?\""))
  local text = pipe:read "*a"
  pipe:close()
  local output, status = text:match "^(.*)status (%d+)\n$"
  return output, tonumber(status)
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- -- A terminal ------------------------------------------------------------------------------------

local function tmux(...) return (sh(("tmux -S %s/tmux %s"):format(folder, table.concat({ ... }, " ")))) end

local function screen() return tmux("capture-pane", "-p", "-J"):gsub("%s+$", "") end

-- Waits until the screen satisfies `test` (a plain text at its end, or a function).
local function wait_for(what)
  local text
  for _ = 1, 1200 do
    text = screen()
    if type(what) == "function" and what(text) then return text end
    if type(what) == "string" and text:sub(-#what) == what then return text end
    libc.sleep(0.05)
  end
  error(("the screen never showed %s:\n%s"):format(tostring(what), text), 2)
end

-- (tmux takes a semicolon at the end for its own.)
local function send(text) tmux("send-keys", "-l", quoted((text:gsub(";$", "\\;")))) end
local function key(...) tmux("send-keys", ...) end

-- Clears the screen, types a line and returns what stands below it once the prompt is back.
local function type_line(text)
  key "C-l"
  wait_for(function(s) return s == "kiln>" end)
  send(text)
  key "Enter"
  local last = text:match "[^\n]*$"
  local shown = wait_for(function(s) return s:find(last:sub(-30), 1, true) and s:match "\nkiln>$" end)
  return shown:match "^[^\n]*\n(.*)\nkiln>$" or ""
end

local function start(arguments)
  local command = ("KILN_HISTORY=%s/history %s %s; echo left with status $?; exec sleep 1000"):format(
    folder, KILN, arguments or "")
  tmux("new-session", "-d", "-x", "100", "-y", "60", quoted(command))
  wait_for(function(s) return s:match "kiln>$" ~= nil end)
end

describe("the prompt on a terminal", function()
  setup(function()
    folder = sh("mktemp -d"):match "%S+"
    tmux("-f", "/dev/null", "start-server", "\\;", "set-option", "-g", "exit-empty", "off")
    start()
  end)

  teardown(function()
    tmux "kill-server"
    sh("rm -rf " .. folder)
  end)

  it("prints the value of an expression and keeps it as _", function()
    assert.equal("3", type_line "1 + 2")
    assert.equal("6", type_line "_ * 2")
    assert.equal("tensor([[1., 1., 1.],\n        [1., 1., 1.]])", type_line "kiln.ones(2, 3)")
    assert.equal('{ 1, 2, a = { b = "c" } }', type_line '{ 1, 2, a = { b = "c" } }')
    assert.equal([["a string\\n"]], type_line [["a string\\n"]])
    assert.equal("", type_line "7;")
    assert.equal("7", type_line "_")
    assert.equal("2", type_line 'a = "1;"; #a')
    assert.equal("", type_line "a = 1; a;")
  end)

  it("prints modules, tables to a depth, and in colours", function()
    assert.equal("Linear(in_features=2, out_features=3)  # 9", type_line "kiln.nn.Linear(2, 3)")
    assert.equal("{ 1, { 2, { 3, { 4, {...} } } } }", type_line "{ 1, { 2, { 3, { 4, { 5 } } } } }")
    type_line "41 + 1"
    assert.truthy(tmux("capture-pane", "-p", "-e"):find("\27[36m42", 1, true))
    local text = sh "echo '41 + 1' | lua/bin/kiln"
    assert.equal("42\n", text)
  end)

  it("prints as wide as the terminal is, unless told otherwise", function()
    type_line "columns = require('kiln.repl.terminal').size"
    local function widest(code, columns)
      if columns then tmux("resize-window", "-x", tostring(columns), "-y", "60") end
      local n = 0
      -- tmux takes its time to tell the program.
      while columns and type_line "(columns())" ~= tostring(columns) and n < 100 do n = n + 1 end
      n = 0
      for line in type_line(code):gmatch "[^\n]+" do n = math.max(n, #line) end
      return n
    end
    assert.equal(39, widest("kiln.ones(50)", 40)) -- one more a line would make it 43
    assert.equal(99, widest("kiln.ones(50)", 100))
    type_line "kiln.set_printoptions { linewidth = 60 }"
    assert.equal(59, widest "kiln.ones(50)")
    type_line 'kiln.set_printoptions { profile = "default" }'
    assert.equal(99, widest "kiln.ones(50)")
  end)

  it("keeps variables, also local ones", function()
    type_line "local w = kiln.full({ 2 }, 3)"
    assert.equal("tensor([3., 3.])", type_line "w")
    type_line "local function twice(a) return a * 2 end"
    assert.equal("tensor([6., 6.])", type_line "twice(w)")
  end)

  it("takes inputs of several lines", function()
    key "C-l"
    send "function g(a)"
    key "Enter"
    wait_for(function(s) return s:match "\n   %.%.$" end)
    send "return a + 1"
    key "Enter"
    send "end"
    key "Enter"
    wait_for "kiln>"
    assert.equal("42", type_line "g(41)")
  end)

  -- Bytes as they are; with "-p" as a paste.
  local function send_bytes(bytes, ...)
    local path = folder .. "/paste"
    local file = io.open(path, "w")
    file:write(bytes)
    file:close()
    tmux("load-buffer", path)
    tmux("paste-buffer", ...)
  end

  it("takes a paste as one input, and prints the expression it ends with", function()
    key "C-l"
    send_bytes("function h(a)\n  return a * 2\nend\nlocal q = 21\nh(q)", "-p")
    wait_for(function(s) return s:match "h%(q%)$" end)
    key "Enter"
    wait_for(function(s) return s:match "h%(q%)\n42\nkiln>$" end)
  end)

  it("lives with a paste while it searches, with letters behind Alt and with stray bytes", function()
    key "C-r"
    wait_for(function(t) return t:find("search ''", 1, true) end)
    send_bytes("'pas' .. 'ted'", "-p")
    key "Enter"
    wait_for(function(t) return t:find("\n\"pasted\"\nkiln>", 1, true) end)
    for _, bytes in ipairs { "\27\195\169", "\169" } do
      send_bytes(bytes)
      assert.equal("3", type_line "1 + 2")
    end
  end)

  it("takes what a program types as it is", function()
    -- The bytes come at once: the terminal is one that has them all.
    local function read(bytes)
      local at = 0
      local modules = { terminal = {
        ready = function() return at < #bytes end,
        size = function() return 80, 24 end,
        byte = function()
          at = at + 1
          return bytes:byte(at)
        end,
      } }
      for _, name in ipairs { "raw", "restore", "write" } do modules.terminal[name] = function() end end
      local function get(name)
        local short = name:match "^kiln%.repl%.(.*)$"
        if not short then return require(name) end
        if not modules[short] then
          local chunk = assert(loadfile("lua/kiln/repl/" .. short .. ".lua"))
          modules[short] = setfenv(chunk, setmetatable({ require = get }, { __index = _G }))()
        end
        return modules[short]
      end
      return get "kiln.repl.editor" { history = { entries = {} }, paint = function(s) return s end,
        whole = function(s) return s:find("]]", 1, true) ~= nil end }:read("> ", ".. ")
    end
    local text = "s = [[\n  one\n    \195\164\n\n\ttwo]]"
    assert.equal(text, read(text .. "\n"))
    assert.equal("[[\n\tone\ttwo]]", read "\27[200~[[\r\n\tone\ttwo]]\27[201~\n")
    assert.equal("a b]]", read "bc\8\27[D\1a \27[F]]\n")
    assert.equal(2e5, #read(("x"):rep(2e5 - 2) .. "]]\n"))
  end)

  it("moves and deletes in the line", function()
    key "C-l"
    send "2 * 3"
    key "C-a"
    send "100 + "
    key "C-e"
    key "BSpace"
    send "4"
    key "Enter"
    wait_for(function(s) return s:find("100 + 2 * 4\n108\nkiln>", 1, true) end)
    send "junk here"
    key("M-b", "C-k", "C-u")
    send "5 + 5"
    key "Enter"
    wait_for(function(s) return s:find("kiln> 5 + 5\n10\nkiln>", 1, true) end)
  end)

  it("recalls what was typed, with Up and with Ctrl-R", function()
    type_line "111 + 1"
    type_line "222 + 2"
    key("C-l", "Up", "Up", "Enter")
    wait_for(function(s) return s:find("kiln> 111 + 1\n112\nkiln>", 1, true) end)
    key("C-l", "C-r")
    send "222"
    wait_for(function(s) return s:find("search '222': 222 + 2", 1, true) end)
    key "Enter"
    wait_for(function(s) return s:find("kiln> 222 + 2\n224\nkiln>", 1, true) end)
  end)

  it("completes names, methods and files with TAB", function()
    type_line "x = kiln.ones(2, 2)"
    local function completed(text, result)
      key "C-l"
      send(text)
      key "Tab"
      wait_for(function(s) return s:find("kiln> " .. result, 1, true) end)
      key "C-c"
      wait_for "kiln>"
    end
    completed("kiln.logsumex", "kiln.logsumexp")
    completed("kiln.nn.functional.log_soft", "kiln.nn.functional.log_softmax")
    completed("x:masked_sele", "x:masked_select")
    completed("x.requires", "x.requires_grad")
    completed("y = x:cumpr", "y = x:cumprod")
    completed("io.open('/usr/inc", "io.open('/usr/include/")
    completed(":res", ":reset")
    completed("coll", "collectgarbage")
    type_line "odd = setmetatable({}, { __names = function() return 5 end, __index = print })"
    completed("odd.x", "odd.x") -- nothing, and the prompt lives on
    key "C-l"
    send "x:su"
    key "Tab"
    wait_for(function(s) return s:find("sub_", 1, true) and s:find("sum", 1, true) and s:match "x:su$" end)
    key "C-c"
  end)

  it("stops a running computation at Ctrl-C and goes on", function()
    type_line "x = kiln.ones(2, 2)"
    for _, loop in ipairs { "while true do end", "while true do x = x + 1 end",
      "pcall(function() while true do end end) print('aga' .. 'in') while true do x:mm(x) end" } do
      key "C-l"
      wait_for(function(s) return s == "kiln>" end)
      send("print('run' .. 'ning') " .. loop)
      key "Enter"
      wait_for "running"
      key "C-c"
      if loop:find "pcall" then
        wait_for "again"
        key "C-c"
      end
      wait_for(function(s) return s:find("interrupted\nkiln>", 1, true) end)
    end
    assert.equal("tensor([2., 3.])", type_line "kiln.tensor { 2, 3 }")
    key "C-l"
    send "dropped"
    key "C-c"
    wait_for(function(s) return s:find("kiln> dropped\nkiln>", 1, true) end)
  end)

  it("shows errors with the frames of the user's code only", function()
    local text = type_line "kiln.ones(2, 3):mm(kiln.ones(2, 3))"
    assert.equal("input:1: kiln: mm: shapes [2, 3] and [2, 3] do not fit: dim 2 of x is 3, dim 1 of y is 2",
      text)
    type_line "function inner(a) local r = a:view(7) return r end"
    type_line "function outer(a) local r = inner(a) return r end"
    text = type_line "outer(kiln.ones(2, 3))"
    assert.truthy(text:find "^input:1: kiln: view: ")
    assert.truthy(text:find("in function 'inner'", 1, true))
    assert.truthy(text:find("in function 'outer'", 1, true))
    assert.is_nil(text:find "%.lua")
    assert.truthy(type_line("x = )"):find "unexpected symbol near '%)'")
  end)

  it("says what a misspelt name was meant to be", function()
    type_line "layer = kiln.nn.Linear(2, 3)"
    for line, hint in pairs {
      ["kiln.zeroes(2)"] = "input:1: kiln: there is no kiln.zeroes; did you mean kiln.zeros?",
      ["layer:foward(1)"] = "input:1: attempt to call method 'foward' (a nil value); did you mean forward?",
      ["layr:eval()"] = "input:1: attempt to index global 'layr' (a nil value); did you mean layer?",
      ["strng.rep('x', 2)"] = "input:1: attempt to index global 'strng' (a nil value); did you mean "
        .. "string?",
      ["quux()"] = "input:1: attempt to call global 'quux' (a nil value)",
      ["torch.ones(2)"] = "input:1: attempt to index global 'torch' (a nil value); here that is kiln",
      ["layer @ layer"] = "input:1: '=' expected near '@'; the product of matrices is x:matmul(y)",
      ["layer[1:2]"] = "input:1: ']' expected near ':'; a slice is x[{ { 2, 3 } }], both ends included, "
        .. "{} is all of a dim",
      ["layer[1 2]"] = "input:1: ']' expected near '2'",
      ["for p in layer:parameters() do end"] = "input:1: attempt to call a table value; a list is gone "
        .. "through with ipairs: for i, p in ipairs(layer:parameters()) do",
    } do
      assert.equal(hint, (type_line(line):gsub("\n", "")))
    end
    type_line "function g(module) module:traim() end"
    assert.truthy(type_line("g(layer)"):find("did you mean train?", 1, true))
    assert.equal("there is no kiln.zeroes; did you mean kiln.zeros?", type_line "?kiln.zeroes")
  end)

  it("has commands", function()
    type_line ":reset"
    type_line "a = kiln.ones(10, 10)"
    assert.truthy(type_line(":who"):find("a  tensor  [10, 10]  float32  400 B", 1, true))
    assert.truthy(type_line(":time a:mm(a);"):find "^[%d.]+ [mu]?s$")
    assert.truthy(type_line("?cumsum"):find("Running sum along dim", 1, true))
    for line in type_line("?kiln.utils.data.DataLoader"):gmatch "[^\n]+" do
      assert.is_true(#line <= 100, line)
    end
    for line, shown in pairs {
      ["?DataLoader"] = "DataLoader(dataset, batch_size = 1,",
      ["?nn"] = "kiln.nn: layers, losses, containers",
      ["?nn.Linear"] = "Linear(in_features, out_features, bias = true)",
      ["?F.cross_entropy"] = "cross_entropy(",
      ["?kiln.nn.Linear"] = "Linear(in_features, out_features, bias = true)",
      ["?kiln.utils.data.DataLoader"] = "DataLoader(dataset, batch_size = 1,",
      ["?kiln.utils.data.Subset"] = "Subset(dataset, indices)",
      ["?kiln.vision.datasets.FashionMNIST"] = "FashionMNIST(root?, train = true,",
      ["?kiln.autograd.checkpoint"] = "checkpoint(fn, ...)",
      ["?kiln.vision"] = "datasets make_grid save_image",
    } do
      local text = type_line(line)
      assert.truthy(text:find(shown, 1, true), line .. text)
    end
    local found = type_line "??bilinear"
    assert.truthy(found:find("kiln.nn.Bilinear  ", 1, true))
    assert.truthy(found:find("kiln.nn.functional.bilinear ", 1, true))
    assert.is_nil(found:find("kiln.nn.linear", 1, true)) -- where it stands is nobody's concern
    assert.equal("hello", type_line "$ echo hello")
    assert.truthy(type_line(":nonsense"):find("there is no command ':nonsense'", 1, true))
    assert.truthy(type_line(":save " .. folder .. "/s.lua"):find("inputs are in", 1, true))
    assert.truthy(type_line(":reset"):find "^forgot every variable")
    assert.equal("no variables", type_line ":who")
    type_line(":run " .. folder .. "/s.lua;")
    assert.equal("nil", type_line "undefined_name")
  end)

  it("leaves at Ctrl-D, and remembers in the next session", function()
    type_line "12345 * 2"
    key "C-d"
    wait_for(function(s) return s:find("left with status 0", 1, true) end)
    tmux "kill-session"
    start "-i spec/support/repl_script.lua one two"
    assert.equal('{ "one", "two", [0] = "spec/support/repl_script.lua" }', type_line "arguments")
    assert.equal("tensor([7., 7.])", type_line "made_here")
    key("C-l", "C-r")
    send "12345"
    wait_for(function(s) return s:find("search '12345': 12345 * 2", 1, true) end)
    key "Enter"
    wait_for(function(s) return s:find("24690", 1, true) end)
  end)
end)

-- -- Without a terminal ------------------------------------------------------------------------------

describe("the kiln command without a terminal", function()
  it("runs what comes through a pipe", function()
    local text, status = sh [[
      printf 'local x = kiln.ones(2)\nx\nfor i = 1, 2 do\nprint(i)\nend\n' | lua/bin/kiln]]
    assert.equal("tensor([1., 1.])\n1\n2\n", text)
    assert.equal(0, status)
  end)

  it("stops at the first error of a pipe with status 1", function()
    local text, status = sh "printf '1\\nerror(\"no\")\\n2\\n' | lua/bin/kiln"
    assert.equal("1\ninput:1: no\n", text)
    assert.equal(1, status)
    assert.equal("3\n", (sh "printf '\\357\\273\\2771 + 2\\r\\n' | lua/bin/kiln")) -- as some editors write
    text, status = sh "lua/bin/kiln <&-"
    assert.equal("standard input: Bad file descriptor\n", text)
    assert.equal(1, status)
    text, status = sh "printf 'for i = 1, 2 do\\n' | lua/bin/kiln"
    assert.truthy(text:find "'end' expected")
    assert.equal(1, status)
  end)

  it("shows errors of every kind", function()
    local function shown(code)
      return (sh(("echo %s | lua/bin/kiln"):format(quoted(code))))
    end
    assert.equal("stack overflow\n", shown "function f() return 1 + f() end f()")
    assert.equal("error: { 1, x = 2 }\n", shown "error { 1, x = 2 }")
    assert.equal("error: nil\n", shown "error()")
    assert.equal("input:1: boom\n", shown [[setmetatable({}, { __tostring = function() error("boom") end })]])
    assert.equal("missing.lua: No such file or directory\n", shown ":run missing.lua")
    assert.equal("/: Is a directory\n", shown ":run /")
    local many = "t = {} for i = 1, 30 do t[i] = {} for j = 1, 30 do t[i][j] = { 1, 2, 3 } end end; t"
    local _, values = shown(many):gsub("1, 2, 3", "")
    assert.is_true(values > 400 and values < 600, values)
    local number = "setmetatable({}, { __tostring = function() return 42 end })"
    assert.equal("__tostring must return a string, it gave the number 42\n", shown(number))
    assert.equal("error: a table that cannot be shown\n", shown("error(" .. number .. ")"))
    local strict = "setmetatable(_G, { __index = function() error('unknown', 2) end }) "
    assert.truthy(shown(strict .. "missing()"):find "^input:1: unknown\n")
    assert.equal("input:1: attempt to index field 'q' (a nil value)\n", shown(strict .. "table.q.b()"))
    assert.equal("input:1: there is no True; in Lua it is 'true'\n", shown "t = { shuffle = True }")
    assert.equal(":save: cannot write /dev/full: No space left on device\n", shown ":save /dev/full")
  end)

  it("keeps a history where it can, and none where it cannot", function()
    local History = require "kiln.repl.history"
    local fifo = os.tmpname()
    assert(os.execute(("rm %s && mkfifo %s"):format(fifo, fifo)) == 0)
    for _, path in ipairs { "/tmp", "/dev/full", "/no/such", fifo } do
      local history = History(path)
      assert.equal(0, #history.entries)
      history:add "1 + 1"
      assert.equal(1, #history.entries)
    end
    os.remove(fifo)
    local path = os.tmpname()
    local file = io.open(path, "wb")
    for i = 1, 4100 do file:write("line\\n", i, "\n") end
    file:close()
    assert.equal("line\n4100", History(path).entries[2000])
    assert.equal("line\n2101", History(path).entries[1]) -- of the file that was cut down
    os.remove(path)
  end)

  it("saves what went well as a script that does the same", function()
    local path = os.tmpname()
    local inputs = { "x = kiln.arange(1, 4)", "x:sum()", "_ * 2", "#{ 1, 2 } -- two", "x:zero_();", "5;",
      "_ + 1", "(print or error)(x:numel())", "return 1, nil, 3",
      "local f = function(v)\n  return v\nend\nf(7)", "f(8)", ":time 9",
      "for _ = 1, 2 do print 'in a loop' end", ":save " .. path }
    local text = sh(("printf '%%s\\n' %s | lua/bin/kiln"):format(quoted(table.concat(inputs, "\n"))))
    local expected = "tensor(6.)\ntensor(12.)\n2\n6\n3\n%s7\n8\n9\nin a loop\nin a loop\n"
    local typed = text:gsub("[%d.]+ [mu]?s\n", ""):gsub("%d+ inputs are in [^\n]*\n", "")
    assert.equal(expected:format "1\nnil\n3\n", typed)
    assert.equal(expected:format "1\tnil\t3\n", (sh("lua/bin/kiln " .. path)))
    os.remove(path)
  end)

  it("runs a script with arguments", function()
    local text = sh [[printf ':run spec/support/repl_script.lua one two\narguments\n' | lua/bin/kiln]]
    assert.equal('{ "one", "two", [0] = "spec/support/repl_script.lua" }\n', text)
  end)

  it("shows variables of every kind", function()
    local inputs = { "nn = kiln.nn", "net = nn.Linear(2, 3)", "class = nn.Linear", "n = 1",
      'bad = setmetatable({}, { __index = function() error "no" end })', ":who", "n" }
    assert.equal("bad    table\nclass  table\nn      number\nnet    Linear   9 parameters    36 B\n"
      .. "nn     package\ntensors: 36 B; all of kiln: 128 B\n1\n",
      (sh(("printf '%%s\\n' %s | lua/bin/kiln"):format(quoted(table.concat(inputs, "\n"))))))
  end)

  it("keeps the variables of a script that failed", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write [[
local a = { ... }
local function f(inner) error("no " .. inner) end
b = 2
f "x"
local c = 3
]]
    file:close()
    local text = sh(("printf 'a[1], b, c, inner\\nexit\\nprint(1)\\n' | lua/bin/kiln -i %s one"):format(path))
    assert.equal('"one"\n2\nnil\nnil\n', text:match 'main chunk\n(.*)$')
    os.remove(path)
  end)

  it("takes -e, -l, -i, -v, -h and scripts", function()
    assert.equal("a\tb\n", (sh "lua/bin/kiln -e 'print(...)' a b"))
    assert.equal("kiln: libz.so.1 is another library than libkiln\n",
      (sh "KILN_LIBRARY=libz.so.1 lua/bin/kiln -e 1"))
    assert.equal("2\n", (sh "lua/bin/kiln -e '1 + 1'"))
    assert.equal("x\n", (sh "lua/bin/kiln -e 'x = \"x\"' -e 'print(x)'"))
    assert.equal("a\tb\n", (sh "lua/bin/kiln -e 'print(arg[1], arg[2])' a b"))
    assert.equal("table\n", (sh "lua/bin/kiln -l kiln.nn -e 'print(type(nn))'"))
    assert.equal("tensor([7., 7.])\n", (sh "echo made_here | lua/bin/kiln -i spec/support/repl_script.lua"))
    assert.truthy((sh "lua/bin/kiln -v"):find "^kiln %d.*LuaJIT")
    assert.truthy((sh "lua/bin/kiln -h"):find "^usage: kiln")
    local text, status = sh "lua/bin/kiln --nonsense"
    assert.truthy(text:find "unknown option %-%-nonsense")
    assert.equal(2, status)
    text, status = sh "lua/bin/kiln -e 'kiln.ones(2):view(3)'"
    assert.truthy(text:find "^input:1: kiln: view")
    assert.equal(1, status)
    text, status = sh "lua/bin/kiln -l no.such.module"
    assert.truthy(text:find "^input:1: module 'no.such.module' not found")
    assert.equal(1, status)
    text, status = sh "lua/bin/kiln no_such_script.lua"
    assert.truthy(text:find "no_such_script.lua")
    assert.equal(1, status)
  end)
end)

describe("an input of many lines", function()
  local Input = require "kiln.repl.input"
  local source = require "kiln.repl.source"
  local read = require "spec.support.read"

  local function unfinished(text)
    local chunk, _, more = source.compile(text, "=input")
    return not chunk and more or false
  end

  -- The statements that a text is cut into when it comes line by line.
  local function cut(text, is_unfinished, clear)
    local list = {}
    for line in text:gmatch "([^\n]*)\n" do
      local more, whole = is_unfinished(line)
      if not more then
        list[#list + 1] = whole
        clear()
      end
    end
    return list
  end

  it("is whole where the compiler says so", function()
    for _, name in ipairs { "repl/source", "repl/keys", "serialization/pickle", "ops/loss" } do
      local text = read("lua/kiln/" .. name .. ".lua"):gsub("\nlocal (function)", "\n%1")
      local before
      local expected = cut(text, function(line)
        before = before and before .. "\n" .. line or line
        return unfinished(before), before
      end, function() before = nil end)
      local input = Input(unfinished)
      assert.same(expected, cut(text, function(line)
        input:add(line)
        return input:unfinished(), input:text()
      end, function() input:clear() end))
      assert.is_true(#expected > 3)
    end
  end)

  it("is not compiled at every line", function()
    local calls = 0
    local function counted(text)
      calls = calls + 1
      return unfinished(text)
    end
    local line = "  { 'text ]] }', value = 5 }, -- end"
    for first, last in pairs { ["t = {"] = "}", ["f(function()  t = {"] = "} end)", ["s = [==["] = "]==]",
      ["--[=["] = "]=] s = 0", ["x ="] = "0" } do
      local input = Input(counted)
      input:add(first)
      calls = 0
      for _ = 1, 3000 do
        input:add(first == "x =" and "-- a comment, and\n1 +" or line)
        assert.is_true(input:unfinished())
      end
      assert.is_true(calls < 300, calls)
      input:add(last)
      assert.is_false(input:unfinished())
    end
  end)

  it("has its mistakes found before its end", function()
    local input = Input(unfinished)
    input:add "t = {"
    for i = 1, 1000 do
      input:add(i == 200 and "  5 5," or "  { name = 'some text', value = 5 },")
      if i < 200 then assert.is_true(input:unfinished()) end
      if i > 200 and not input:unfinished() then return end
    end
    error "it was never found"
  end)

  it("may be changed in its middle", function()
    local input = Input(unfinished)
    assert.is_true(input:unfinished_text "f(")
    assert.is_true(input:unfinished_text "f(\n{")
    assert.is_false(input:unfinished_text "f(\n{\n})")
    assert.is_true(input:unfinished_text "f(\n[[\n})")
    assert.is_true(input:unfinished_text "g(\n{")
    assert.is_false(input:unfinished_text "g(\n2)")
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
