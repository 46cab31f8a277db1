--- Op rows: attention (Vaswani et al. 2017) without keeping its weights: forward computes them block by
-- block and keeps one number a query, backward computes them again (Dao et al. 2022).
return function(op, _K)
  local SCALE = "scale: number, causal: bool = false"

  op.kernel "attention" {
    args = "q, k, v, " .. SCALE,
    doc = "softmax(scale q k') v, of q [..., L, E], k [..., S, E] and v [..., S, V]: [..., L, V]; and the logsumexp "
      .. "of each row of scores, [..., L], not below float32, without gradient.  causal: query i sees the keys up to i only.",
    shape = "attention", outs = 2, dtype = "statistics", diff_outs = "1", grad = true,
    saves = "q k v out1 out2", tol = 1e-4,
    samples = {
      { "f[3,4]", "f[5,4]", "f[5,2]", 0.5 }, { "f[2,3,4]", "f[2,3,4]", "f[2,3,4]", 0.7, true },
      { "f[2,2,4,3]", "f[2,2,2,3]", "f[2,2,2,3]", 1, true }, { "f[3,0]", "f[2,0]", "f[2,2]", 1 },
      { "f[2,3]", "f[0,3]", "f[0,2]", 1 },
    },
  }
  op.kernel "attention_dx" {
    args = "g, q, k, v, out, total, " .. SCALE, doc = "Gradients of attention's q, k and v.",
    shape = "attention_dx", outs = 3, grad = false, internal = true,
  }
end
