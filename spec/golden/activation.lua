-- Made by spec/golden/make.py with PyTorch 2.15.0: do not edit.
-- luacheck: ignore
return {
["relu"] = {
  ["f[3,4]"] = {
    sum = 1600868039,
    out = { "[3,4] float64 0 1.608154296875 0 1.704833984375 0 0 0.231201171875 1.993408203125 0 0 0 1.092529296875" },
    grad = { "[3,4] float64 0 -0.653564453125 0 -0.789794921875 0 0 -0.252685546875 0.880126953125 0 0 0 0.197509765625" },
    second = true,
    float32 = { "float32" },
    float16 = { "float16" },
    bfloat16 = { "bfloat16" },
    int8 = { "[3,4] int8 0 3 0 3 0 0 0 3 0 0 0 2" },
    uint8 = { "[3,4] uint8 2 3 2 3 4 4 0 3 2 4 3 2" },
    int16 = { "[3,4] int16 0 3 0 3 0 0 0 3 0 0 0 2" },
    int32 = { "[3,4] int32 0 3 0 3 0 0 0 3 0 0 0 2" },
    int64 = { "[3,4] int64 0 3 0 3 0 0 0 3 0 0 0 2" },
    bool = "error",
  },
  ["f[]"] = {
    sum = 241040472,
    out = { "[] float64 1.651123046875" },
    grad = { "[] float64 -0.920166015625" },
    second = true,
  },
  ["f[0]"] = {
    sum = 1,
    out = { "[0] float64" },
    grad = { "[0] float64" },
    second = true,
  },
  ["f[2,0]"] = {
    sum = 1,
    out = { "[2,0] float64" },
    grad = { "[2,0] float64" },
    second = true,
  },
  ["x[15]"] = {
    sum = 329521225,
    out = { "[15] float64 0 -0 1 0 2.5 0 0.001 20 0 100 0 10000000000 inf 0 nan" },
  },
},
}
