-- A name that does not exist, wherever one is looked up, is an error that says which one was meant.
local kiln = require "kiln"
local namespace = require "kiln.namespace"
local spelling = require "kiln.spelling"
local support = require "spec.support"
local nn, raises = kiln.nn, support.raises

local function absent(package, name)
  return function() return package[name] end
end

describe("a misspelt name", function()
  it("of a package names the nearest", function()
    for _, case in ipairs {
      { kiln, "zeroes", "there is no kiln.zeroes; did you mean kiln.zeros?" },
      { kiln, "flaot64", "did you mean kiln.float64?" },
      { nn, "Conv2D", "there is no kiln.nn.Conv2D; did you mean kiln.nn.Conv2d?" },
      { nn, "SpatialConvolution", "there is no kiln.nn.SpatialConvolution; did you mean kiln.nn.Conv2d?" },
      { nn, "ClassNLLCriterion", "did you mean kiln.nn.NLLLoss?" },
      { nn.functional, "logsoftmax", "did you mean kiln.nn.functional.log_softmax?" },
      { nn.init, "xavier_unifrom_", "did you mean kiln.nn.init.xavier_uniform_ or kiln.nn" },
      { nn.utils, "clip_gradnorm", "did you mean kiln.nn.utils.clip_grad_norm" },
      { kiln.optim, "Adma", "did you mean kiln.optim.Adam?" },
      { kiln.optim.lr_scheduler, "steplr", "did you mean kiln.optim.lr_scheduler.StepLR?" },
      { kiln, "inference_mode", "there is no kiln.inference_mode; did you mean kiln.no_grad?" },
      { kiln, "linalg", "did you mean kiln.inverse or kiln.solve or kiln.svd?" },
      { kiln.utils.plot, "lines", "there is no kiln.utils.plot.lines; did you mean kiln.utils.plot.line?" },
      { kiln.autograd.functional, "jacobain", "did you mean kiln.autograd.functional.jacobian?" },
      { kiln.utils, "tensorbord", "did you mean kiln.utils.tensorboard?" },
      { kiln.utils.data, "Dataloader", "did you mean kiln.utils.data.DataLoader?" },
      { kiln.distributions, "Catgorical", "did you mean kiln.distributions.Categorical?" },
      { kiln.vision.datasets, "FashionMnist", "did you mean kiln.vision.datasets.FashionMNIST?" },
      { kiln.autograd, "gradchek", "did you mean kiln.autograd.gradcheck?" },
      { kiln.cuda, "is_avaliable", "did you mean kiln.cuda.is_available?" },
      { kiln.serialization, "load_safetensor", "did you mean kiln.serialization.load_safetensors?" },
      { kiln.amp, "autocst", "did you mean kiln.amp.autocast?" },
    } do
      raises({ case[3] }, absent(case[1], case[2]))
    end
  end)

  it("that is like none is only said not to be there", function()
    local message = raises({ "there is no kiln.quux" }, absent(kiln, "quux"))
    assert.is_nil(message:find "did you mean")
  end)

  it("of a tensor names the nearest field or method", function()
    local x = kiln.ones(2)
    raises({ "no field or method 'reshap'; did you mean reshape?" }, function() return x:reshap(2) end)
    raises({ "no field or method 'shapes'; did you mean shape?" }, absent(x, "shapes"))
    raises({ "no field or method 'astype'; did you mean to?" }, absent(x, "astype"))
    raises({ "no field 'gradd' to assign; did you mean grad?" }, function() x.gradd = x end)
  end)

  it("of an option names the nearest, and lists all", function()
    local x = kiln.ones(2)
    raises({ "sum: unknown option 'keepdims'; did you mean keepdim? (it takes dims, keepdim" }, x.sum, x,
      { keepdims = true })
    raises({ "mean: unknown option 'axis'; did you mean dims?" }, x.mean, x, { axis = 1 })
    raises({ "ones: unknown option 'dtpye'; did you mean dtype?" }, kiln.ones, 2, { dtpye = kiln.float64 })
    raises({ "Linear: unknown option 'bais'; did you mean bias? (it takes in_features" }, nn.Linear, 2, 3,
      { bais = false })
    raises({ "SGD: unknown option 'momentun'; did you mean momentum?" }, kiln.optim.SGD, { x },
      { momentun = 1 })
    raises({ "Normal: unknown option 'scal'; did you mean scale?" }, kiln.distributions.Normal,
      { loc = 0, scal = 1 })
    raises({ "Parameter: unknown option 'require_grad'; did you mean requires_grad?" }, nn.Parameter, x,
      { require_grad = false })
  end)

  it("is nil where it begins with _, so that tools may ask", function()
    assert.is_nil(kiln.__name)
    assert.is_nil(nn._private)
  end)
end)

describe("a method called with a dot", function()
  it("says so when it first looks at its object", function()
    local Net = nn.Module:extend "Net"
    function Net:init() self.fc = nn.Linear(2, 2) end
    function Net:forward(x) return self.fc(x) end
    local net = Net()
    raises({ "'fc'", "net.forward(x) was called for net:forward(x)" }, net.forward, kiln.ones(1, 2))
    raises({ "forward", "object is missing", "layer:forward()" }, nn.Linear.forward, kiln.ones(1, 2))
  end)
end)

describe("spelling", function()
  it("knows letters that are missing, too many, others, in the wrong order; capitals; underscores", function()
    local names = { "zeros", "ones", "log_softmax", "tolist", "transpose" }
    for given, meant in pairs { zeros = "zeros", zeroes = "zeros", zers = "zeros", ozes = "ones",
      logsoftmax = "log_softmax", LogSoftmax = "log_softmax", to_list = "tolist", tranpsose = "transpose" } do
      assert.same({ meant }, spelling.nearest(given, names), given)
    end
    assert.same({}, spelling.nearest("banana", names))
    assert.same({}, spelling.nearest("x", { "y" }))
  end)
end)

describe("packages", function()
  it("have the names that they list", function()
    local packages = 0
    local function walk(package)
      packages = packages + 1
      for _, name in ipairs(namespace.names(package)) do
        local v = package[name]
        assert.is_not_nil(v, name)
        if namespace.names(v) and v ~= package then walk(v) end
      end
    end
    walk(kiln)
    assert.is_true(packages >= 15, packages .. " packages")
  end)
end)

describe("misspelt names", function() support.ends_without_live_tensors() end)
