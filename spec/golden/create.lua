-- Made by spec/golden/make.py with PyTorch 2.15.0: do not edit.
-- luacheck: ignore
return {
["hann_window"] = {
  ["6 true float64"] = {
    sum = 1,
    out = { "[6] float64 0 0.25 0.75 1 0.75 0.25" },
  },
  ["5 false float64"] = {
    sum = 1,
    out = { "[5] float64 0 0.5 1 0.5 0" },
  },
  ["1 true float64"] = {
    sum = 1,
    out = { "[1] float64 1" },
  },
  ["0 true float64"] = {
    sum = 1,
    out = { "[0] float64" },
  },
},
["hamming_window"] = {
  ["6 true float64"] = {
    sum = 1,
    out = { "[6] float64 0.08 0.31 0.77 1 0.77 0.31" },
  },
  ["5 false float64"] = {
    sum = 1,
    out = { "[5] float64 0.08 0.54 1 0.54 0.08" },
  },
  ["1 true float64"] = {
    sum = 1,
    out = { "[1] float64 1" },
  },
  ["0 true float64"] = {
    sum = 1,
    out = { "[0] float64" },
  },
},
["blackman_window"] = {
  ["6 true float64"] = {
    sum = 1,
    out = { "[6] float64 0 0.13 0.63 1 0.63 0.13" },
  },
  ["5 false float64"] = {
    sum = 1,
    out = { "[5] float64 0 0.34 1 0.34 0" },
  },
  ["1 true float64"] = {
    sum = 1,
    out = { "[1] float64 1" },
  },
  ["0 true float64"] = {
    sum = 1,
    out = { "[0] float64" },
  },
},
["bartlett_window"] = {
  ["6 true float64"] = {
    sum = 1,
    out = { "[6] float64 0 0.3333333333333 0.6666666666667 1 0.6666666666667 0.3333333333333" },
  },
  ["5 false float64"] = {
    sum = 1,
    out = { "[5] float64 0 0.5 1 0.5 0" },
  },
  ["1 true float64"] = {
    sum = 1,
    out = { "[1] float64 1" },
  },
  ["0 true float64"] = {
    sum = 1,
    out = { "[0] float64" },
  },
},
["kaiser_window"] = {
  ["6 true 8 float64"] = {
    sum = 1,
    out = { "[6] float64 0.002338830512733 0.1520106971447 0.6524786744624 1 0.6524786744624 0.1520106971447" },
  },
  ["5 false 3 float64"] = {
    sum = 1,
    out = { "[5] float64 0.2048847564013 0.7269255302876 1 0.7269255302876 0.2048847564013" },
  },
},
}
