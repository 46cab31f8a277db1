--- Training on the device has the CPU's losses: 20 steps on Fashion-MNIST.
local kiln = require "spec.support.emulator"
local nn, optim, utils = kiln.nn, kiln.optim, kiln.utils

local STEPS, BATCH, TOLERANCE = 20, 16, 1e-4

-- No bias before the normalisation: its gradient would be rounding alone, which Adam makes large.
local function network()
  return nn.Sequential(nn.Conv2d(1, 4, 3, { padding = 1, stride = 2, bias = false }), nn.BatchNorm2d(4),
    nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4 * 7 * 7, 16), nn.ReLU(), nn.Dropout(0.25),
    nn.Linear(16, 10))
end

-- The losses of the first steps, and the parameters after them.
local function train(device)
  kiln.manual_seed(1)
  local net = network()
  local clothes = kiln.vision.datasets.FashionMNIST(nil, { train = true })
  local loader = utils.data.DataLoader(clothes, { batch_size = BATCH, shuffle = true })
  net:to(device)
  local loss_of, optimizer = nn.CrossEntropyLoss(), optim.Adam(net:parameters(), { lr = 0.01 })
  local losses = {}
  for x, class in loader:iter() do
    kiln.manual_seed(#losses) -- both generators drop out the same
    local loss = loss_of(net(x:to(device)), class:to(device))
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    losses[#losses + 1] = loss:item()
    if #losses == STEPS then break end
  end
  return losses, net
end

describe("training", function()
  it("has the same losses on the device and on the CPU", function()
    local expected, net = train "cpu"
    local losses, there = train "cuda"
    for i = 1, STEPS do
      assert.is_true(math.abs(losses[i] - expected[i]) <= TOLERANCE * math.max(1, expected[i]),
        ("step %d: loss %.7f, on the CPU %.7f"):format(i, losses[i], expected[i]))
    end
    assert.is_true(expected[STEPS] < expected[1], "it learns")
    local file = os.tmpname()
    kiln.save(there:state_dict(), file)
    local saved = kiln.load(file)
    os.remove(file)
    for name, p in pairs(net:state_dict()) do
      if kiln.is_tensor(p) then
        assert.equal("cpu", saved[name].device)
        assert.is_true(kiln.allclose(saved[name]:double(), p:double(), { rtol = 1e-2, atol = 1e-3 }), name)
      end
    end
    there:cpu()
    for _, p in there:named_parameters() do assert.equal("cpu", p.device) end
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
