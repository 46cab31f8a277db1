-- Every public name of nn, optim, distributions and data has words, and the words are of names that exist.
local kiln = require "kiln"
local help = require "kiln.repl.help"
local texts = require "kiln.nn.texts"

local function is_class(v) return type(v) == "table" and getmetatable(v) and rawget(v, "__base") ~= nil end

local PLACES = { nn = kiln.nn, optim = kiln.optim, ["optim.lr_scheduler"] = kiln.optim.lr_scheduler,
  ["optim.swa_utils"] = kiln.optim.swa_utils,
  distributions = kiln.distributions, ["utils.data"] = kiln.utils.data,
  ["vision.datasets"] = kiln.vision.datasets }

describe("texts", function()
  local known = {}
  for _, section in ipairs(texts) do
    for name in pairs(section[3]) do known[section[2] .. "." .. name] = true end
  end

  it("are of classes that exist", function()
    for name in pairs(known) do
      local place, class = name:match "^(.*)%.([%w_]+)$"
      assert.is_true(is_class(PLACES[place][class]), name)
    end
  end)

  it("are of every class", function()
    -- What concrete ones inherit from: their own files say it.
    local base = { ["optim.Optimizer"] = true, ["optim.lr_scheduler.LRScheduler"] = true,
      ["distributions.Distribution"] = true, ["distributions.Transform"] = true }
    for place, package in pairs(PLACES) do
      for name, v in pairs(package) do
        local full = place .. "." .. name
        if is_class(v) and not base[full] then assert.is_true(known[full] ~= nil, full .. " has no text") end
      end
    end
  end)
end)

describe("help", function()
  local function check(path, package, names)
    for _, name in ipairs(names) do
      local full = path .. "." .. name
      local text = help.about(full, package[name])
      assert.is_true(text ~= nil and text:find(full .. " is ", 1, true) ~= 1, full .. ": " .. tostring(text))
      assert.is_true(#text > #name + 8, full .. ": " .. text)
    end
  end

  local function functions(package)
    local names = {}
    for name, v in pairs(package) do
      if type(v) == "function" and not name:find "^_" then names[#names + 1] = name end
    end
    table.sort(names)
    return names
  end

  it("has words for every function of nn.functional", function()
    local names = getmetatable(kiln.nn.functional).__names()
    for _, name in ipairs(functions(kiln.nn.functional)) do names[#names + 1] = name end
    check("kiln.nn.functional", kiln.nn.functional, names)
  end)

  it("has words for every method of Module, and for nn.init and nn.utils", function()
    check("kiln.nn.Module", kiln.nn.Module, functions(kiln.nn.Module))
    check("kiln.nn.init", kiln.nn.init, functions(kiln.nn.init))
    check("kiln.nn.utils", kiln.nn.utils, functions(kiln.nn.utils))
  end)

  it("has words for what optimizers, distributions and utils do", function()
    check("kiln.optim.Optimizer", kiln.optim.Optimizer,
      { "step", "zero_grad", "state_dict", "load_state_dict", "add_param_group",
        "register_step_pre_hook", "register_state_dict_post_hook" })
    check("kiln.utils", kiln.utils, { "load_url", "create_extension", "progress", "options" })
    check("kiln.utils.data", kiln.utils.data, { "default_collate", "random_split", "get_worker_info" })
    check("kiln.distributions", kiln.distributions, { "kl_divergence", "Normal", "Categorical" })
    check("kiln.distributions.Distribution", kiln.distributions.Distribution,
      { "sample", "rsample", "sample_n", "log_prob", "entropy" })
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
