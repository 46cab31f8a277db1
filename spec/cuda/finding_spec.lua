-- Where libkiln_cuda is looked for, and what is said when it is not there or does not fit.
-- Tensors are not counted: they are in the programs that it starts.
-- The emulator's library stands for it, copied beside a copy of libkiln.
local ffi = require "ffi"
local core = require("kiln.ffi").path

local build = core:match "^(.*/)[^/]*$" or "./"
local folder

local function sh(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "*a"
  pipe:close()
  return (text:gsub("%s+$", ""))
end

local bytes_of = require "spec.support.read"

local function write(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
end

-- The number of devices and why there are none, as a program says whose library is the copy.
local function asked(environment)
  return sh(([[KILN_LIBRARY=%s/libkiln.so %s luajit -e '
    local kiln = require "kiln"
    print(kiln.cuda.device_count(), kiln.cuda.why())
    print((select(2, pcall(kiln.ones, 2, { device = "cuda" }))))']]):format(folder,
    environment or "KILN_CUDA_LIBRARY="))
end

describe("libkiln_cuda", function()
  local emulator = build .. "libkiln_cuda_emu.so"

  setup(function()
    folder = sh "mktemp -d"
    sh(("cp %s %s/libkiln.so"):format(core, folder))
  end)
  teardown(function() sh("rm -rf " .. folder) end)
  before_each(function() os.remove(folder .. "/libkiln_cuda.so") end)

  it("that is not there is said not to be installed", function()
    local text = asked()
    assert.truthy(text:find("0\tlibkiln_cuda.so is not installed", 1, true), text)
    assert.truthy(text:find("ones: device is the string 'cuda'; there is no CUDA device: libkiln_cuda.so", 1,
      true), text)
  end)

  it("beside libkiln is found", function()
    sh(("cp %s %s/libkiln_cuda.so"):format(emulator, folder))
    local text = asked()
    assert.truthy(text:find("2\t\ntensor([1., 1.], device='cuda:1')", 1, true), text)
  end)

  it("that KILN_CUDA_LIBRARY names comes first", function()
    write(folder .. "/libkiln_cuda.so", "this is no library")
    local text = asked("KILN_CUDA_LIBRARY=" .. emulator)
    assert.truthy(text:find("2\t\ntensor", 1, true), text)
    text = asked "KILN_CUDA_LIBRARY=/nowhere/libkiln_cuda.so"
    assert.truthy(text:find("0\t/nowhere/libkiln_cuda.so: cannot open shared object file", 1, true), text)
  end)

  it("on the loader's path is found when there is none beside", function()
    sh(("mkdir -p %s/path && cp %s %s/path/libkiln_cuda.so"):format(folder, emulator, folder))
    local text = asked(("LD_LIBRARY_PATH=%s/path:$LD_LIBRARY_PATH"):format(folder))
    assert.truthy(text:find("2\t\ntensor", 1, true), text)
  end)

  it("that is there but does not load is not passed over", function()
    write(folder .. "/libkiln_cuda.so", "this is no library")
    local text = asked()
    assert.truthy(text:find(folder .. "/libkiln_cuda.so: ", 1, true), text)
    assert.is_nil(text:find("not installed", 1, true))
  end)

  it("of another build is refused", function()
    local digest = bytes_of(build .. "gen/kiln_ops.h"):match "KILN_OPS_DIGEST UINT64_C%(0x(%x+)%)"
    local value = ffi.new("uint64_t[1]", assert(loadstring("return 0x" .. digest .. "ULL"))())
    local wanted, bytes = ffi.string(value, 8), bytes_of(emulator)
    local at = assert(bytes:find(wanted, 1, true))
    value[0] = value[0] + 1
    write(folder .. "/libkiln_cuda.so", bytes:sub(1, at - 1) .. ffi.string(value, 8) .. bytes:sub(at + 8))
    local text = asked()
    assert.truthy(text:find(folder .. "/libkiln_cuda.so is of another build than libkiln", 1, true), text)
    text = asked "KILN_CUDA_LIBRARY=libz.so.1"
    assert.truthy(text:find("0\tlibkiln_cuda is of another build", 1, true), text)
  end)
end)
