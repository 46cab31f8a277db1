-- What kiln.utils asks of other programs: weights by their address, extensions in C.
local kiln = require "kiln"
local shell = require "kiln.utils.shell"
local support = require "spec.support"
local raises, near = support.raises, support.near

local here = shell.run({ "mktemp", "-d" }):gsub("%s+$", "")
teardown(function() shell.run { "rm", "-rf", "--", here } end)

local function write(name, text)
  local path = here .. "/" .. name
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

describe("shell", function()
  it("hands arguments over as they are", function()
    assert.equals("a b $HOME 'q' \"d\" ;\n", shell.run { "printf", "%s\n", "a b $HOME 'q' \"d\" ;" })
    local out, why = shell.run { "sh", "-c", "echo no; exit 3" }
    assert.is_nil(out)
    assert.equals("no", why)
    assert.is_nil((shell.run { "no such program" }))
  end)
end)

describe("load_url", function()
  local load_url = kiln.utils.load_url

  it("fetches once, and loads from then on", function()
    local source = here .. "/weights.safetensors"
    kiln.save({ weight = kiln.ones(2, 3) }, source)
    local options = { model_dir = here .. "/models", progress = false }
    local state = load_url("file://" .. source .. "?version=2", options)
    near({ { 1, 1, 1 }, { 1, 1, 1 } }, state.weight)
    os.remove(source)
    near({ { 1, 1, 1 }, { 1, 1, 1 } }, load_url("file://" .. source, options).weight)
    assert.equals(load_url, kiln.utils.model_zoo.load_url)
  end)

  it("checks the hash that a name promises, and keeps nothing that is wrong", function()
    local plain = here .. "/plain.safetensors"
    kiln.save({ kiln.zeros(1) }, plain)
    local hash = shell.run({ "sha256sum", plain }):sub(1, 8)
    local options = { model_dir = here .. "/hashed", progress = false }
    shell.run { "cp", plain, ("%s/net-%s.pt"):format(here, hash) }
    shell.run { "cp", plain, here .. "/net-00000000.pt" }
    assert.equals(0, load_url(("file://%s/net-%s.pt"):format(here, hash), options)[1]:item())
    raises({ "load_url", hash, "00000000" }, load_url, ("file://%s/net-00000000.pt"):format(here), options)
    assert.is_false(shell.is_file(here .. "/hashed/net-00000000.pt"))
    assert.is_false(shell.is_file(here .. "/hashed/net-00000000.pt.part"))
  end)

  it("says what cannot be fetched", function()
    local options = { model_dir = here .. "/none", progress = false }
    raises({ "load_url", "cannot fetch", "nowhere.pt" }, load_url, "file:///nowhere.pt", options)
    raises({ "load_url", "address", "'weights.pt'" }, load_url, "weights.pt")
    raises({ "load_url", "names no file" }, load_url, "https://host/..")
    raises({ "load_url", "url" }, load_url, 3)
  end)
end)

describe("create_extension", function()
  local create = kiln.utils.create_extension
  local header = write("scale.h", [[
#pragma once
#include <stdint.h>
#include "kiln.h"
void scale(float *x, int64_t n, float by);
int32_t dims_of(const kiln_tensor *x);
]])
  local source = write("scale.c", [[
#include "scale.h"
void scale(float *x, int64_t n, float by) { for (int64_t i = 0; i < n; i++) x[i] *= by; }
int32_t dims_of(const kiln_tensor *x) { return kiln_tensor_ndim(x); }
]])

  it("compiles C that works on a tensor's memory and on tensors", function()
    local options = { build_directory = here .. "/build", include_dirs = { here },
      extra_compile_args = { "-Wall", "-Werror" } }
    local lib = create("scale", header, { source }, options)
    local x = kiln.ones({ 2, 2 }, { device = "cpu" })
    lib.scale(x:data_ptr(), x:numel(), 3)
    x:bump_version()
    near({ { 3, 3 }, { 3, 3 } }, x)
    assert.equals(2, lib.dims_of(x.p))
  end)

  it("shows what the compiler says", function()
    local bad = write("bad.c", "int f(void) { return missing; }\n")
    local ok, why = pcall(create, "bad", header, bad, { build_directory = here .. "/build" })
    assert.is_false(ok)
    assert.truthy(why:find("bad does not compile", 1, true), why)
    assert.truthy(why:find("missing", 1, true), why)
  end)

  it("checks its arguments", function()
    raises({ "create_extension", "name", "'../x'" }, create, "../x", header, source)
    raises({ "create_extension", "sources[1]", "none.c" }, create, "x", header, "none.c")
    raises({ "create_extension", "headers", "a table" }, create, "x", {}, source)
    local wrong = write("wrong.h", "void f(;\n")
    raises({ "create_extension", "headers[1]", "wrong.h" }, create, "x", wrong,
      write("empty.c", "int nothing;\n"), { build_directory = here .. "/build" })
  end)
end)

describe("the file", function() require("spec.support").ends_without_live_tensors() end)
