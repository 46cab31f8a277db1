--- Op rows: a recurrent layer over a whole sequence, forward and back through time in one call each.
-- The input's share of the gates is computed beforehand, for all steps in one product.
return function(op, _K)
  local MODE = "mode: lstm|gru|tanh|relu, reverse: bool"

  op.kernel "rnn_layer" {
    args = "gates, sizes: host, h, cell?, w, b?, " .. MODE .. " = false",
    doc = "One direction of one recurrent layer.  gates [rows, G H] is x w_ih' + b_ih for every step, the "
      .. "steps one after the other; step t has sizes[t] rows, which never grow, and continues the first "
      .. "sizes[t] rows of h [n, H] (and cell, for lstm).  w [G H, H] and b [G H] act on h; G is 4 for lstm "
      .. "(i, f, g, o), 3 for gru (r, z, n), else 1.  Returns the outputs [rows, H], the last h and "
        .. "cell, and what "
      .. "the gradient needs.",
    shape = "rnn_layer", outs = 4, diff_outs = "1 2 3", grad = true,
    saves = "gates sizes h cell w b out1 out4", tol = 1e-4,
    samples = {
      { "f[6,12]", "i(2,2)[3]", "f[2,3]", "f[2,3]", "f[12,3]", "f[12]", "lstm" },
      { "f[6,9]", "i(2,2)[3]", "f[2,3]", nil, "f[9,3]", "f[9]", "gru", true },
      { "f[6,3]", "i(2,2)[3]", "f[2,3]", nil, "f[3,3]", nil, "tanh" },
    },
  }
  op.kernel "rnn_layer_back" {
    args = "gy?, gh?, gc?, y, reserve, sizes: host, h, cell?, w, " .. MODE,
    doc = "Back through time: gradients of rnn_layer's gates, of its share of h, of h and of c.",
    shape = "rnn_layer_back", outs = 4, grad = false, internal = true,
  }
end
