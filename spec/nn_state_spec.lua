-- Walks over a module's parameters, buffers and modules, and what goes on around its state dict.
local kiln = require "kiln"
local nn = kiln.nn
local support = require "spec.support"
local raises = support.raises

local function names(iterator)
  local list = {}
  for name in iterator do list[#list + 1] = name end
  return table.concat(list, " ")
end

local function shared()
  local inner = nn.Linear(2, 2, false)
  return nn.Sequential(inner, nn.Sequential(inner, nn.BatchNorm1d(2, { affine = false })))
end

describe("walks", function()
  it("meet what is shared once, or each time", function()
    local net = shared()
    assert.equals("0.weight", names(net:named_parameters()))
    assert.equals("net.0.weight net.1.0.weight", names(net:named_parameters("net", true, false)))
    assert.equals("0.weight 1.0.weight", names(net:named_parameters { remove_duplicate = false }))
    assert.equals("", names(net:named_parameters { recurse = false }))
    assert.equals(" 0 1 1.1", names(net:named_modules()))
    local all = net:named_modules { prefix = "n", remove_duplicate = false }
    assert.equals("n n.0 n.1 n.1.0 n.1.1", names(all))
    assert.equals(0, #net:parameters { recurse = false })
    assert.equals(3, #net:buffers())
    raises({ "Sequential: named_parameters", "unknown option 'recurs'" }, net.named_parameters, net,
      { recurs = 1 })
  end)
end)

describe("a state dict", function()
  it("has the module's own tensors if they are to be kept, in a table of the caller's", function()
    local net, mine = nn.Linear(2, 2), { other = 1 }
    local state = net:state_dict { keep_vars = true, destination = mine, prefix = "net." }
    assert.equals(mine, state)
    assert.equals(net.weight, state["net.weight"])
    assert.equals(1, state.other)
    assert.is_false(net:state_dict().weight.requires_grad)
    raises({ "Linear", "destination must be a table" }, net.state_dict, net, { destination = 3 })
  end)

  it("comes behind the hooks before it", function()
    local net, seen = nn.Sequential(nn.Linear(1, 1)), {}
    net[1]:register_state_dict_pre_hook(function(m, at)
      seen[#seen + 1] = m.__name .. " " .. at
      kiln.no_grad(function() m.weight:fill_(7) end)
    end)
    assert.equals(7, net:state_dict({ prefix = "n." })["n.0.weight"]:item())
    assert.same({ "Linear n.0." }, seen)
  end)
end)

describe("hooks", function()
  it("come before the others if they are to", function()
    local net, seen = nn.Identity(), {}
    local function note(word) return function() seen[#seen + 1] = word end end
    net:register_forward_hook(note "b")
    net:register_forward_hook(note "a", { prepend = true })
    net:register_forward_pre_hook(note "2")
    local handle = net:register_forward_pre_hook(note "1", { prepend = true })
    net(1)
    assert.equals("1 2 a b", table.concat(seen, " "))
    handle:remove()
    net(1)
    assert.equals("1 2 a b 2 a b", table.concat(seen, " "))
    raises({ "Identity", "forward hook", "unknown option 'first'" }, net.register_forward_hook, net, note "c",
      { first = true })
  end)
end)

describe("memory", function()
  it("is new with to_empty, in the same parameters", function()
    local net = nn.Linear(3, 2)
    local weight, at = net.weight, net.weight:data_ptr()
    assert.equals(net, net:to_empty "cpu")
    assert.equals(weight, net.weight)
    assert.equals("[2, 3]", tostring(weight.shape))
    assert.is_true(at ~= net.weight:data_ptr())
    raises({ "Linear", "to_empty", "device is missing" }, net.to_empty, net)
    assert.equals(net, net:share_memory())
  end)
end)

describe("the file", function() support.ends_without_live_tensors() end)
