"""Writes nn.lua: what PyTorch computes for modules, functions, optimizers and schedulers.

Run as `python spec/golden/nn.py > spec/golden/nn.lua` where torch is installed; the specs read the
result and need no Python.  Modules and functions are here; nn_formulas.py says how inputs are made,
nn_training.py what is done with many steps, nn_distributions.py what distributions give.
"""
import math
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F

import nn_distributions  # noqa: F401
from nn_formulas import case, cases, fill_parameters, ints, prob, sign
from nn_training import curves, lookups, optimizers, schedulers

# -- Linear, convolution -----------------------------------------------------------------------------

case("nn.Linear(4, 3)", nn.Linear(4, 3), (5, 4))
case("nn.Linear(4, 3, { bias = false })", nn.Linear(4, 3, bias=False), (2, 5, 4))
case("nn.Linear(1, 1)", nn.Linear(1, 1), (1,))
case("nn.Bilinear(3, 4, 2)", nn.Bilinear(3, 4, 2), (5, 3), (5, 4))
case("nn.Bilinear(3, 4, 2, false)", nn.Bilinear(3, 4, 2, False), (2, 3, 3), (2, 3, 4))
case("nn.Bilinear(1, 1, 1)", nn.Bilinear(1, 1, 1), (2, 1), (2, 1))
case("nn.Identity()", nn.Identity(), (2, 3))
case("nn.Flatten()", nn.Flatten(), (2, 3, 4))
case("nn.Flatten(1, 2)", nn.Flatten(0, 1), (2, 3, 4))
case("nn.Unflatten(2, { 2, 3 })", nn.Unflatten(1, (2, 3)), (2, 6))

for n, hw in ((1, (7,)), (2, (6, 5)), (3, (4, 5, 4))):
    C, T = getattr(nn, f"Conv{n}d"), getattr(nn, f"ConvTranspose{n}d")
    case(f"nn.Conv{n}d(2, 3, 3)", C(2, 3, 3), (2, 2) + hw)
    case(f"nn.Conv{n}d(4, 6, 2, {{ stride = 2, padding = 1, groups = 2, bias = false }})",
         C(4, 6, 2, stride=2, padding=1, groups=2, bias=False), (1, 4) + hw)
    case(f"nn.Conv{n}d(2, 2, 2, {{ dilation = 2, padding = 'same' }})", C(2, 2, 2, dilation=2, padding="same"), (1, 2) + hw)
    case(f"nn.Conv{n}d(2, 2, 3, {{ padding = 1, padding_mode = 'replicate' }})",
         C(2, 2, 3, padding=1, padding_mode="replicate"), (1, 2) + hw)
    case(f"nn.Conv{n}d(2, 2, 3, {{ padding = 1, padding_mode = 'circular' }})",
         C(2, 2, 3, padding=1, padding_mode="circular"), (1, 2) + hw)
    case(f"nn.ConvTranspose{n}d(2, 3, 2)", T(2, 3, 2), (2, 2) + hw)
    case(f"nn.ConvTranspose{n}d(4, 2, 3, {{ stride = 2, padding = 1, output_padding = 1, groups = 2 }})",
         T(4, 2, 3, stride=2, padding=1, output_padding=1, groups=2), (1, 4) + hw)
    case(f"nn.ConvTranspose{n}d(2, 3, 2, {{ padding = 1, output_padding = 2, dilation = 3 }})",
         T(2, 3, 2, padding=1, output_padding=2, dilation=3), (2, 2) + hw)
    case(f"nn.ConvTranspose{n}d(2, 2, 2, {{ dilation = 2, bias = false }})", T(2, 2, 2, dilation=2, bias=False), (1, 2) + hw)
    case(f"nn.ConvTranspose{n}d(2, 3, 2, 2, 0, 0, 1, false, 1, 'zeros')", T(2, 3, 2, 2, 0, 0, 1, False, 1, "zeros"), (1, 2) + hw)
case("nn.Unfold(2)", nn.Unfold(2), (1, 2, 3, 4))
case("nn.Unfold({ 2, 3 }, { padding = 1, stride = 2 })", nn.Unfold((2, 3), padding=1, stride=2), (2, 1, 4, 5))
case("nn.Unfold(2, { dilation = 2 })", nn.Unfold(2, dilation=2), (1, 1, 4, 4))
case("nn.Fold({ 3, 4 }, 2)", nn.Fold((3, 4), 2), (1, 8, 6))
case("nn.Fold({ 4, 4 }, 2, { stride = 2 })", nn.Fold((4, 4), 2, stride=2), (2, 4, 4))
case("nn.Fold({ 4, 5 }, { 2, 3 }, { padding = 1, stride = 2 })", nn.Fold((4, 5), (2, 3), padding=1, stride=2), (1, 6, 9))

# -- Pooling, padding ----------------------------------------------------------------------------------

for n, hw in ((1, (8,)), (2, (6, 5)), (3, (4, 5, 4))):
    mx, av, lp = (getattr(nn, f"{kind}Pool{n}d") for kind in ("Max", "Avg", "LP"))
    am, aa, un = (getattr(nn, f"{kind}{n}d") for kind in ("AdaptiveMaxPool", "AdaptiveAvgPool", "MaxUnpool"))
    case(f"nn.MaxPool{n}d(2)", mx(2), (2, 2) + hw)
    case(f"nn.MaxPool{n}d(3, {{ stride = 2, padding = 1, ceil_mode = true }})", mx(3, stride=2, padding=1, ceil_mode=True), (1, 2) + hw)
    case(f"nn.MaxPool{n}d(2, {{ stride = 1, dilation = 2, return_indices = true }})",
         mx(2, stride=1, dilation=2, return_indices=True), (1, 2) + hw, index_outputs=(1,))
    case(f"nn.MaxPool{n}d(3, {{ stride = 6, dilation = 4, ceil_mode = true }})",
         mx(3, stride=6, dilation=4, ceil_mode=True), (1, 2) + hw)
    case(f"nn.AvgPool{n}d(2)", av(2), (2, 2) + hw)
    if n < 3:
        case(f"nn.AvgPool{n}d(9, {{ stride = 6, ceil_mode = true }})", av(9, stride=6, ceil_mode=True), (1, 2) + hw)
    case(f"nn.AvgPool{n}d(3, {{ stride = 2, padding = 1 }})", av(3, stride=2, padding=1), (1, 2) + hw)
    case(f"nn.AvgPool{n}d(3, {{ stride = 2, padding = 1, count_include_pad = false, ceil_mode = true }})",
         av(3, stride=2, padding=1, count_include_pad=False, ceil_mode=True), (1, 2) + hw)
    case(f"nn.LPPool{n}d(2, 2)", lp(2, 2), prob(1, 2, *hw))
    case(f"nn.LPPool{n}d(3, 2, {{ stride = 1 }})", lp(3, 2, stride=1), prob(1, 2, *hw))
    case(f"nn.LPPool{n}d(1, 3, {{ ceil_mode = true }})", lp(1, 3, ceil_mode=True), prob(1, 2, *hw))
    case(f"nn.AdaptiveMaxPool{n}d(2)", am(2), (2, 2) + hw)
    case(f"nn.AdaptiveMaxPool{n}d(3, {{ return_indices = true }})", am(3, return_indices=True), (1, 2) + hw, index_outputs=(1,))
    case(f"nn.AdaptiveMaxPool{n}d(1)", am(1), (1, 2) + hw)
    case(f"nn.AdaptiveAvgPool{n}d(2)", aa(2), (2, 2) + hw)
    case(f"nn.AdaptiveAvgPool{n}d(3)", aa(3), (1, 2) + hw)
    case(f"nn.AdaptiveAvgPool{n}d(1)", aa(1), (1, 2) + hw)
    for kernel, lua, kw in ((2, "", {}), (3, ", { stride = 2, padding = 1, ceil_mode = true }", dict(stride=2, padding=1, ceil_mode=True)),
                            (2, ", 1, 0, 2", dict(stride=1, dilation=2))):
        case(f"function(x) return F.max_pool{n}d_with_indices(x, {kernel}{lua}) end",
             lambda x, n=n, k=kernel, kw=kw: getattr(F, f"max_pool{n}d_with_indices")(x, k, **kw), (1, 2) + hw, index_outputs=(1,))
    for size, lua in ((1, "1"), (2, "{ output_size = 2 }"), (3, "3")):
        case(f"function(x) return F.adaptive_max_pool{n}d_with_indices(x, {lua}) end",
             lambda x, n=n, size=size: getattr(F, f"adaptive_max_pool{n}d_with_indices")(x, size), (1, 2) + hw, index_outputs=(1,))
    half = tuple(s // 2 for s in hw)
    fn = getattr(F, f"max_unpool{n}d")
    pool = getattr(F, f"max_pool{n}d")
    for kernel, stride in ((2, 2), (2, 3), (3, 3)):
        case(f"function(x) local y, at = F.max_pool{n}d(x, {kernel}, {{ stride = {stride}, return_indices = true }}) "
             f"return F.max_unpool{n}d(y * 2, at, {kernel}, {stride}, 0, {{ {', '.join(map(str, hw))} }}) end",
             lambda x, k=kernel, s=stride, hw=hw, fn=fn, pool=pool:
             fn(pool(x, k, s, return_indices=True)[0] * 2, pool(x, k, s, return_indices=True)[1], k, s, 0, hw), (1, 2) + hw)
case("function(x) return F.fractional_max_pool2d(x, 2, { output_size = { 3, 3 }, random_samples = "
     "kiln.tensor({ { { 0.25, 0.7 }, { 0.5, 0.1 } } }, { dtype = kiln.float64 }) }) end",
     lambda x: F.fractional_max_pool2d(x, 2, (3, 3), _random_samples=torch.tensor([[[0.25, 0.7], [0.5, 0.1]]])), (1, 2, 7, 6))

draws = {2: "{ { { 0.25, 0.7 }, { 0.5, 0.1 } } }", 3: "{ { { 0.25, 0.7, 0.4 }, { 0.5, 0.1, 0.9 } } }"}
for n, size, hw in ((2, (2, 3), (7, 6)), (3, (2, 1, 3), (5, 4, 6))):
    us = torch.tensor(eval(draws[n].replace("{", "[").replace("}", "]")))
    fn, P = getattr(F, f"fractional_max_pool{n}d"), getattr(nn, f"FractionalMaxPool{n}d")
    given = f"random_samples = kiln.tensor({draws[n]}, {{ dtype = kiln.float64 }})"
    sizes = f"{{ {', '.join(map(str, size))} }}"
    for kernel, lua, kw in ((2, f"output_size = {sizes}", dict(output_size=size)), (1, "output_ratio = 0.5", dict(output_ratio=(0.5,) * n)),
                            (size, f"output_size = {sizes}", dict(output_size=size)), (2, "output_size = 2", dict(output_size=(2,) * n))):
        k = sizes if kernel == size else kernel
        case(f"function(x) return F.fractional_max_pool{n}d(x, {k}, {{ {lua}, {given} }}) end",
             lambda x, fn=fn, kernel=kernel, kw=kw, us=us: fn(x, kernel, **kw, _random_samples=us), (1, 2) + hw)
        case(f"function(x) return F.fractional_max_pool{n}d_with_indices(x, {k}, {{ {lua}, {given} }}) end",
             lambda x, fn=fn, kernel=kernel, kw=kw, us=us: fn(x, kernel, **kw, return_indices=True, _random_samples=us),
             (1, 2) + hw, index_outputs=(1,))
        case(f"nn.FractionalMaxPool{n}d({k}, {{ {lua}, _{given} }})", P(kernel, **kw, _random_samples=us), (1, 2) + hw)

for n, hw in ((1, (5,)), (2, (4, 5)), (3, (3, 4, 5))):
    for kind in ("Reflection", "Replication", "Circular", "Zero"):
        P = getattr(nn, f"{kind}Pad{n}d")
        case(f"nn.{kind}Pad{n}d(1)", P(1), (2, 2) + hw)
        pads = [1, 2, 0, 1, 2, 1][: 2 * n]
        case(f"nn.{kind}Pad{n}d {{ {', '.join(map(str, pads))} }}", P(tuple(pads)), (1, 2) + hw)
    P = getattr(nn, f"ConstantPad{n}d")
    case(f"nn.ConstantPad{n}d(1, 0.5)", P(1, 0.5), (1, 2) + hw)
    case(f"nn.ConstantPad{n}d(2, -1)", P(2, -1), (1, 1) + hw)
for mode, lua, pads in (("circular", "{ 2, -1 }", (2, -1)), ("circular", "{ -1, 1, 1, -2 }", (-1, 1, 1, -2)), ("reflect", "{ 2, -1 }", (2, -1))):
    case(f"function(x) return F.pad(x, {lua}, '{mode}') end", lambda x, mode=mode, pads=pads: F.pad(x, pads, mode), (2, 4, 5) if len(pads) == 2 else (1, 2, 4, 5))
case("function(x) return F.pad(x, { -1, 1 }, 'constant', 2) end", lambda x: F.pad(x, (-1, 1), "constant", 2), (2, 4))

# -- Activations -----------------------------------------------------------------------------------------

for lua, module in (
        ("ReLU()", nn.ReLU()), ("ReLU6()", nn.ReLU6()), ("ELU()", nn.ELU()), ("ELU(0.5)", nn.ELU(0.5)),
        ("SELU()", nn.SELU()), ("CELU(0.7)", nn.CELU(0.7)), ("GELU()", nn.GELU()),
        ("GELU { approximate = 'tanh' }", nn.GELU(approximate="tanh")), ("SiLU()", nn.SiLU()), ("Mish()", nn.Mish()),
        ("Hardswish()", nn.Hardswish()), ("Hardsigmoid()", nn.Hardsigmoid()), ("LeakyReLU()", nn.LeakyReLU()),
        ("LeakyReLU(0.2)", nn.LeakyReLU(0.2)), ("Threshold(0.1, 20)", nn.Threshold(0.1, 20)),
        ("Hardtanh()", nn.Hardtanh()), ("Hardtanh(-0.5, 0.7)", nn.Hardtanh(-0.5, 0.7)), ("Sigmoid()", nn.Sigmoid()),
        ("Tanh()", nn.Tanh()), ("LogSigmoid()", nn.LogSigmoid()), ("Softplus()", nn.Softplus()),
        ("Softplus(2, 1)", nn.Softplus(2, 1)), ("Softshrink()", nn.Softshrink()), ("Softshrink(0.2)", nn.Softshrink(0.2)),
        ("Hardshrink()", nn.Hardshrink()), ("Hardshrink(0.3)", nn.Hardshrink(0.3)), ("Softsign()", nn.Softsign()),
        ("Tanhshrink()", nn.Tanhshrink())):
    # PyTorch rounds a factor of these two gradients to float32.
    tolerance = 1e-7 if lua.startswith(("CELU", "Hardsigmoid")) else None
    for shape in ((3, 4), (7,), (2, 1, 3, 2)):
        case("nn." + lua, module, shape, tolerance=tolerance)
for lua, fn in (("relu", F.relu), ("elu", F.elu), ("leaky_relu", F.leaky_relu), ("selu", F.selu), ("hardtanh", F.hardtanh)):
    case(f"function(x) return F.{lua}(x * 3, {{ inplace = true }}) end", lambda x, fn=fn: fn(x * 3, inplace=True), (3, 4))
case("function(x) return F.rrelu(x, 0.1, 0.3) end", lambda x: F.rrelu(x, 0.1, 0.3), (3, 4))
case("nn.RReLU()", nn.RReLU(), (3, 4), mode="eval")
case("nn.PReLU()", nn.PReLU(), (3, 4))
case("nn.PReLU(4)", nn.PReLU(4), (3, 4))
case("nn.PReLU(2)", nn.PReLU(2), (3, 2, 2, 2))
case("nn.Hardtanh { min_value = -0.3, max_value = 0.6 }", nn.Hardtanh(-0.3, 0.6), (3, 4))
case("nn.GLU()", nn.GLU(), (3, 4))
case("nn.GLU(1)", nn.GLU(0), (4, 3))
case("nn.GLU(2)", nn.GLU(1), (2, 4, 3))
for kind in ("Softmax", "Softmin", "LogSoftmax"):
    cls = getattr(nn, kind)
    case(f"nn.{kind}(2)", cls(1), (3, 4))
    case(f"nn.{kind}(1)", cls(0), (3, 4))
    case(f"nn.{kind}(-2)", cls(-2), (2, 3, 4))
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 3, 2, 2)):
        case(f"nn.{kind}()", cls(), shape)
case("function(q, k, v) return F.scaled_dot_product_attention(q, k, v, { enable_gqa = true }) end",
     lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), (2, 4, 3, 2), (2, 2, 3, 2), (2, 2, 3, 2))
case("nn.Softmax2d()", nn.Softmax2d(), (2, 3, 2, 2))
case("nn.Softmax2d()", nn.Softmax2d(), (3, 2, 2))

# -- Normalisation ------------------------------------------------------------------------------------------

for n, hw in ((1, (4,)), (2, (3, 2)), (3, (2, 2, 2))):
    B, I = getattr(nn, f"BatchNorm{n}d"), getattr(nn, f"InstanceNorm{n}d")
    for mode in ("train", "eval"):
        case(f"nn.BatchNorm{n}d(3)", B(3), (4, 3) + hw, mode=mode)
        case(f"nn.BatchNorm{n}d(3, {{ eps = 1e-3, momentum = 0.3, affine = false }})",
             B(3, eps=1e-3, momentum=0.3, affine=False), (2, 3) + hw, mode=mode)
        case(f"nn.BatchNorm{n}d(3, {{ track_running_stats = false }})", B(3, track_running_stats=False), (2, 3) + hw, mode=mode)
        case(f"nn.InstanceNorm{n}d(3)", I(3), (2, 3) + hw, mode=mode)
        case(f"nn.InstanceNorm{n}d(3, {{ affine = true }})", I(3, affine=True), (2, 3) + hw, mode=mode)
        case(f"nn.InstanceNorm{n}d(3, {{ track_running_stats = true, momentum = 0.2 }})",
             I(3, track_running_stats=True, momentum=0.2), (2, 3) + hw, mode=mode)
case("nn.BatchNorm1d(3)", nn.BatchNorm1d(3), (5, 3))
for hw in ((), (4,)):  # PyTorch's SyncBatchNorm needs a GPU; of one process it is BatchNorm
    for mode in ("train", "eval"):
        case("nn.SyncBatchNorm(3, { eps = 1e-3, momentum = 0.3 })", nn.BatchNorm1d(3, eps=1e-3, momentum=0.3), (4, 3) + hw, mode=mode)
case("nn.SyncBatchNorm(3, { affine = false, track_running_stats = false })", nn.BatchNorm2d(3, affine=False, track_running_stats=False), (2, 3, 2, 2))
case("nn.SyncBatchNorm(3, { bias = false })", nn.BatchNorm3d(3, bias=False), (2, 3, 2, 1, 2))
for name, lua, args in (("BatchNorm2d", "3", (3,)), ("InstanceNorm2d", "3, { affine = true, bias = false }", (3, 1e-5, 0.1, True)),
                        ("GroupNorm", "3, 3", (3, 3))):
    lua = lua if "{" in lua else lua + ", { bias = false }"
    case(f"nn.{name}({lua})", getattr(nn, name)(*args, bias=False), (4, 3, 2, 2))
case("nn.BatchNorm1d(3, { momentum = false })", nn.BatchNorm1d(3, momentum=None), (5, 3))
case("nn.LayerNorm(4)", nn.LayerNorm(4), (3, 4))
case("nn.LayerNorm({ 3, 4 }, { eps = 1e-2 })", nn.LayerNorm((3, 4), eps=1e-2), (2, 3, 4))
case("nn.LayerNorm(4, { elementwise_affine = false })", nn.LayerNorm(4, elementwise_affine=False), (2, 3, 4))
case("nn.LayerNorm(4, { bias = false })", nn.LayerNorm(4, bias=False), (3, 4))
case("nn.RMSNorm(4, { eps = 1e-6 })", nn.RMSNorm(4, eps=1e-6), (3, 4))
case("nn.RMSNorm({ 3, 4 }, { eps = 1e-2 })", nn.RMSNorm((3, 4), eps=1e-2), (2, 3, 4))
case("nn.RMSNorm(4, { eps = 1e-6, elementwise_affine = false })", nn.RMSNorm(4, eps=1e-6, elementwise_affine=False), (2, 3, 4))
case("nn.RMSNorm(4)", nn.RMSNorm(4), (3, 4))
case("nn.GroupNorm(2, 4)", nn.GroupNorm(2, 4), (3, 4, 2))
case("nn.GroupNorm(4, 4, { affine = false })", nn.GroupNorm(4, 4, affine=False), (2, 4, 2, 2))
case("nn.GroupNorm(1, 4, { eps = 1e-2 })", nn.GroupNorm(1, 4, eps=1e-2), (2, 4, 3))
case("nn.LocalResponseNorm(2)", nn.LocalResponseNorm(2), (2, 4, 3, 2))
case("nn.LocalResponseNorm(3, { alpha = 0.1, beta = 0.5, k = 2 })", nn.LocalResponseNorm(3, alpha=0.1, beta=0.5, k=2), (1, 5, 3))
case("nn.LocalResponseNorm(5)", nn.LocalResponseNorm(5), (1, 4, 2, 2, 2))
case("function(x) return F.normalize(x) end", lambda x: F.normalize(x), (3, 4))
case("function(x) return F.normalize(x, 1, 1) end", lambda x: F.normalize(x, 1, 0), (3, 4))
case("function(x) return F.normalize(x, 3, 3) end", lambda x: F.normalize(x, 3, 2), (2, 3, 4))

# -- Losses of many classes, and of any distance ---------------------------------------------------------

A = nn.AdaptiveLogSoftmaxWithLoss
for lua, kw in (("{ 3 }", dict(cutoffs=[3])), ("{ 2, 5 }, 2", dict(cutoffs=[2, 5], div_value=2.0)),
                ("{ 2, 4, 6 }, { div_value = 1.5, head_bias = true }", dict(cutoffs=[2, 4, 6], div_value=1.5, head_bias=True))):
    for n in (7, 1):
        case(f"nn.AdaptiveLogSoftmaxWithLoss(8, 9, {lua})", A(8, 9, **kw), (n, 8), ints((n,), 9))
for lua, fn in (("nil", None), ("function(x, y) return 1 - F.cosine_similarity(x, y) end", lambda x, y: 1 - F.cosine_similarity(x, y))):
    for tail, kw in (("", {}), (", margin = 0.3, swap = true", dict(margin=0.3, swap=True)), (", reduction = 'none'", dict(reduction="none")),
                     (", reduction = 'sum'", dict(reduction="sum"))):
        case(f"nn.TripletMarginWithDistanceLoss {{ distance_function = {lua}{tail} }}",
             nn.TripletMarginWithDistanceLoss(distance_function=fn, **kw), (3, 4), (3, 4), (3, 4))
        case(f"function(a, b, c) return F.triplet_margin_with_distance_loss(a, b, c, {{ distance_function = {lua}{tail} }}) end",
             lambda a, b, c, fn=fn, kw=kw: F.triplet_margin_with_distance_loss(a, b, c, distance_function=fn, **kw), (3, 4), (3, 4), (3, 4))
for p in (1, 2, 3):
    case(f"function(x) return F.pdist(x, {p}) end", lambda x, p=p: F.pdist(x, p), (5, 3))

# -- Parametrized weights ----------------------------------------------------------------------------------

P = nn.utils.parametrizations
PARAM = "nn.utils.parametrizations"
for lua, make in (("nn.Linear(4, 3)", lambda: nn.Linear(4, 3)), ("nn.Linear(3, 4)", lambda: nn.Linear(3, 4)), ("nn.Linear(4, 4)", lambda: nn.Linear(4, 4))):
    shape = (2, 3 if "(3" in lua else 4)
    case(f"{PARAM}.weight_norm({lua})", P.weight_norm(make()), shape)
    case(f"{PARAM}.weight_norm({lua}, {{ dim = false }})", P.weight_norm(make(), dim=None), shape)
    for kind in ("matrix_exp", "cayley"):
        case(f"{PARAM}.orthogonal({lua}, {{ orthogonal_map = '{kind}', use_trivialization = false }})",
             P.orthogonal(make(), orthogonal_map=kind, use_trivialization=False), shape)
case(f"{PARAM}.weight_norm(nn.Conv2d(2, 3, 2), {{ dim = 2 }})", P.weight_norm(nn.Conv2d(2, 3, 2), dim=1), (1, 2, 4, 4))

# -- Look-up -----------------------------------------------------------------------------------------------

case("nn.Embedding(6, 3)", nn.Embedding(6, 3), ints((4,), 6))
case("nn.Embedding(6, 3, { padding_idx = 2 })", nn.Embedding(6, 3, padding_idx=1), ints((2, 5), 6))
case("nn.Embedding(6, 3, { scale_grad_by_freq = true })", nn.Embedding(6, 3, scale_grad_by_freq=True), ints((9,), 6))
case("nn.Embedding(6, 3, { max_norm = 0.5 })", nn.Embedding(6, 3, max_norm=0.5), ints((2, 2), 6))
for how in ("sum", "mean", "max"):
    case(f"nn.EmbeddingBag(6, 3, {{ mode = '{how}' }})", nn.EmbeddingBag(6, 3, mode=how), ints((3, 4), 6))
    bag = nn.EmbeddingBag(6, 3, mode=how)
    fill_parameters(bag)
    case(f"function(x, w) return F.embedding_bag(x, w, {{ offsets = kiln.tensor({{ 1, 4, 6 }}, {{ dtype = kiln.int64 }}), mode = '{how}' }}) end",
         lambda x, w, how=how: F.embedding_bag(x, w, torch.tensor([0, 3, 5]), mode=how), ints((8,), 6), (6, 3))
case("function(x, w, s) return F.embedding_bag(x, w, { mode = 'sum', per_sample_weights = s }) end",
     lambda x, w, s: F.embedding_bag(x, w, mode="sum", per_sample_weights=s), ints((2, 3), 6), (6, 3), (2, 3))

# -- Losses --------------------------------------------------------------------------------------------------

RED = ("mean", "sum", "none")
for r in RED:
    o = f"reduction = '{r}'"
    case(f"nn.L1Loss {{ {o} }}", nn.L1Loss(reduction=r), (3, 4), (3, 4))
    case(f"nn.MSELoss {{ {o} }}", nn.MSELoss(reduction=r), (3, 4), (3, 4))
    case(f"nn.SmoothL1Loss {{ {o}, beta = 0.5 }}", nn.SmoothL1Loss(reduction=r, beta=0.5), (3, 4), (3, 4))
    case(f"nn.HuberLoss {{ {o}, delta = 0.3 }}", nn.HuberLoss(reduction=r, delta=0.3), (3, 4), (3, 4))
    case(f"nn.NLLLoss {{ {o} }}", nn.NLLLoss(reduction=r), (3, 4), ints((3,), 4))
    case(f"nn.NLLLoss2d {{ {o} }}", nn.NLLLoss(reduction=r), (2, 3, 2, 2), ints((2, 2, 2), 3))
    case(f"nn.NLLLoss {{ {o}, ignore_index = 3 }}", nn.NLLLoss(reduction=r, ignore_index=2), (5, 4), ints((5,), 4))
    case(f"nn.CrossEntropyLoss {{ {o} }}", nn.CrossEntropyLoss(reduction=r), (3, 4), ints((3,), 4))
    case(f"nn.CrossEntropyLoss {{ {o}, label_smoothing = 0.1 }}", nn.CrossEntropyLoss(reduction=r, label_smoothing=0.1), (2, 4, 3), ints((2, 3), 4))
    case(f"nn.CrossEntropyLoss {{ {o}, ignore_index = 2 }}", nn.CrossEntropyLoss(reduction=r, ignore_index=1), (5, 4), ints((5,), 4))
    case(f"nn.CrossEntropyLoss {{ {o} }}", nn.CrossEntropyLoss(reduction=r), (3, 4), prob(3, 4))
    case(f"nn.CrossEntropyLoss {{ {o}, weight = kiln.tensor({{ 1, 2, 0.5 }}, {{ dtype = kiln.float64 }}) }}",
         nn.CrossEntropyLoss(reduction=r, weight=torch.tensor([1, 2, 0.5])), (4, 3), ints((4,), 3))
    case(f"nn.PoissonNLLLoss {{ {o} }}", nn.PoissonNLLLoss(reduction=r), (3, 4), prob(3, 4))
    case(f"nn.PoissonNLLLoss {{ {o}, log_input = false, full = true }}", nn.PoissonNLLLoss(log_input=False, full=True, reduction=r), prob(3, 4), prob(3, 4))
    case(f"nn.GaussianNLLLoss {{ {o}, full = true }}", nn.GaussianNLLLoss(full=True, reduction=r), (3, 4), (3, 4), prob(3, 4))
    case(f"nn.KLDivLoss {{ {o} }}", nn.KLDivLoss(reduction=r), (3, 4), prob(3, 4))
    case(f"nn.KLDivLoss {{ {o}, log_target = true }}", nn.KLDivLoss(reduction=r, log_target=True), (3, 4), (3, 4))
    case(f"nn.BCELoss {{ {o} }}", nn.BCELoss(reduction=r), prob(3, 4), prob(3, 4))
    case(f"nn.BCEWithLogitsLoss {{ {o} }}", nn.BCEWithLogitsLoss(reduction=r), (3, 4), prob(3, 4))
    case(f"nn.BCEWithLogitsLoss {{ {o}, pos_weight = kiln.tensor({{ 1, 2, 0.5, 3 }}, {{ dtype = kiln.float64 }}) }}",
         nn.BCEWithLogitsLoss(reduction=r, pos_weight=torch.tensor([1, 2, 0.5, 3])), (3, 4), prob(3, 4))
    case(f"nn.HingeEmbeddingLoss {{ {o}, margin = 0.7 }}", nn.HingeEmbeddingLoss(margin=0.7, reduction=r), (3, 4), sign(3, 4))
    case(f"nn.MarginRankingLoss {{ {o}, margin = 0.2 }}", nn.MarginRankingLoss(margin=0.2, reduction=r), (5,), (5,), sign(5))
    case(f"nn.SoftMarginLoss {{ {o} }}", nn.SoftMarginLoss(reduction=r), (3, 4), sign(3, 4))
    case(f"nn.MultiLabelSoftMarginLoss {{ {o} }}", nn.MultiLabelSoftMarginLoss(reduction=r), (3, 4), prob(3, 4))
    case(f"nn.CosineEmbeddingLoss {{ {o}, margin = 0.1 }}", nn.CosineEmbeddingLoss(margin=0.1, reduction=r), (3, 4), (3, 4), sign(3))
    case(f"nn.MultiMarginLoss {{ {o} }}", nn.MultiMarginLoss(reduction=r), (3, 4), ints((3,), 4))
    case(f"nn.MultiMarginLoss {{ {o}, p = 2, margin = 0.5 }}", nn.MultiMarginLoss(p=2, margin=0.5, reduction=r), (3, 4), ints((3,), 4))
    case(f"nn.TripletMarginLoss {{ {o} }}", nn.TripletMarginLoss(reduction=r), (3, 4), (3, 4), (3, 4))
    case(f"nn.TripletMarginLoss {{ {o}, swap = true, p = 1 }}", nn.TripletMarginLoss(swap=True, p=1, reduction=r), (3, 4), (3, 4), (3, 4))
    case(f"function(x) return F.multilabel_margin_loss(x, kiln.tensor({{ {{ 4, 1, 0, 2 }}, {{ 3, 0, 1, 1 }} }}, {{ dtype = kiln.int64 }}), {{ {o} }}) end",
         lambda x, r=r: F.multilabel_margin_loss(x, torch.tensor([[3, 0, -1, 1], [2, -1, 0, 0]]), reduction=r), (2, 4))
    case(f"function(x) return F.ctc_loss(x:log_softmax(3), kiln.tensor({{ {{ 2, 3, 3 }}, {{ 4, 2, 2 }} }}, {{ dtype = kiln.int64 }}), "
         f"kiln.tensor({{ 6, 5 }}, {{ dtype = kiln.int64 }}), kiln.tensor({{ 3, 1 }}, {{ dtype = kiln.int64 }}), {{ {o} }}) end",
         lambda x, r=r: F.ctc_loss(x.log_softmax(2), torch.tensor([[1, 2, 2], [3, 1, 1]]), torch.tensor([6, 5]), torch.tensor([3, 1]), reduction=r), (6, 2, 4))
case("nn.KLDivLoss { reduction = 'batchmean' }", nn.KLDivLoss(reduction="batchmean"), (3, 4), prob(3, 4))
case("nn.MSELoss(false)", nn.MSELoss(reduction="sum"), (3, 4), (3, 4))
case("nn.MSELoss { reduce = false }", nn.MSELoss(reduction="none"), (3, 4), (3, 4))
case("nn.CosineSimilarity()", nn.CosineSimilarity(), (3, 4), (3, 4))
case("nn.CosineSimilarity(1)", nn.CosineSimilarity(0), (3, 4), (3, 4))
case("nn.CosineSimilarity(3)", nn.CosineSimilarity(2), (2, 3, 4), (2, 3, 4))
case("nn.PairwiseDistance()", nn.PairwiseDistance(), (3, 4), (3, 4))
case("nn.PairwiseDistance(1)", nn.PairwiseDistance(1), (3, 4), (3, 4))
case("nn.PairwiseDistance(3, { keepdim = true })", nn.PairwiseDistance(3, keepdim=True), (3, 4), (3, 4))

# -- Vision ----------------------------------------------------------------------------------------------------

case("nn.PixelShuffle(2)", nn.PixelShuffle(2), (1, 8, 2, 3))
case("nn.PixelShuffle(3)", nn.PixelShuffle(3), (2, 9, 2, 2))
case("nn.PixelShuffle(1)", nn.PixelShuffle(1), (1, 2, 2, 2))
case("nn.PixelUnshuffle(2)", nn.PixelUnshuffle(2), (1, 2, 4, 6))
case("nn.ChannelShuffle(2)", nn.ChannelShuffle(2), (1, 4, 2, 2))
case("nn.Upsample { scale_factor = 2 }", nn.Upsample(scale_factor=2), (1, 2, 3, 4))
case("nn.Upsample { size = 5 }", nn.Upsample(size=5), (2, 2, 3))
case("nn.Upsample { size = { 5, 7 }, mode = 'bilinear', align_corners = true }", nn.Upsample(size=(5, 7), mode="bilinear", align_corners=True), (1, 2, 3, 4))
case("nn.Upsample { size = { 5, 7 }, mode = 'bilinear' }", nn.Upsample(size=(5, 7), mode="bilinear"), (1, 2, 3, 4))
case("nn.Upsample { size = 6, mode = 'linear' }", nn.Upsample(size=6, mode="linear"), (1, 2, 4))
case("nn.Upsample { size = { 5, 7 }, mode = 'bicubic' }", nn.Upsample(size=(5, 7), mode="bicubic"), (1, 1, 4, 4))
case("nn.Upsample { size = { 3, 5, 4 }, mode = 'trilinear' }", nn.Upsample(size=(3, 5, 4), mode="trilinear"), (1, 1, 2, 3, 4))
case("nn.UpsamplingNearest2d { scale_factor = 2 }", nn.UpsamplingNearest2d(scale_factor=2), (1, 2, 3, 2))
case("nn.UpsamplingBilinear2d { scale_factor = 2 }", nn.UpsamplingBilinear2d(scale_factor=2), (1, 2, 3, 2))
case("nn.Upsample { size = { 5, 2 }, mode = 'nearest-exact' }", nn.Upsample(size=(5, 2), mode="nearest-exact"), (1, 2, 3, 4))
case("nn.Upsample { scale_factor = 1.7, mode = 'linear', recompute_scale_factor = true }",
     nn.Upsample(scale_factor=1.7, mode="linear", recompute_scale_factor=True), (1, 2, 4))
for mode in ("bilinear", "bicubic"):
    for size, align in (((3, 9), False), ((2, 3), True), ((4, 6), True)):
        a = "true" if align else "false"
        case(f"function(x) return F.interpolate(x, {{ size = {{ {size[0]}, {size[1]} }}, mode = '{mode}', align_corners = {a}, antialias = true }}) end",
             lambda x, m=mode, s=size, al=align: F.interpolate(x, size=s, mode=m, align_corners=al, antialias=True), (1, 2, 8, 7))
for pad in ("zeros", "border", "reflection"):
    for align in (True, False):
        a = "true" if align else "false"
        case(f"function(x, g) return F.grid_sample(x, g * 1.4, {{ mode = 'bicubic', padding_mode = '{pad}', align_corners = {a} }}) end",
             lambda x, g, p=pad, al=align: F.grid_sample(x, g * 1.4, mode="bicubic", padding_mode=p, align_corners=al), (1, 2, 4, 5), (1, 3, 4, 2))
for align in (True, False):
    a = "true" if align else "false"
    case(f"function(x, t) return F.grid_sample(x, F.affine_grid(t, {{ 2, 2, 3, 4 }}, {a}), {{ align_corners = {a} }}) end",
         lambda x, t, al=align: F.grid_sample(x, F.affine_grid(t, (2, 2, 3, 4), al), align_corners=al), (2, 2, 4, 5), (2, 2, 3))
case("function(x, g) return F.grid_sample(x, g, { mode = 'nearest' }) end",
     lambda x, g: F.grid_sample(x, g, mode="nearest", align_corners=False), (1, 2, 4, 5), (1, 3, 4, 2))
case("function(x, t) return F.grid_sample(x, F.affine_grid(t, { 1, 1, 4, 4 }, false), { padding_mode = 'border', align_corners = false }) end",
     lambda x, t: F.grid_sample(x, F.affine_grid(t, (1, 1, 4, 4), False), padding_mode="border", align_corners=False), (1, 1, 4, 5), (1, 2, 3))

# -- Recurrent layers ----------------------------------------------------------------------------------------


def recurrent(lua, module, *shapes):
    def run(x, *state):
        if not state:
            return module(x)
        return module(x, tuple(state) if len(state) == 2 else state[0])
    module.to(torch.float64)
    fill_parameters(module)

    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = module

        def forward(self, *xs):
            return run(*xs)
    case(f"wrap({lua})", Wrapped(), *shapes)


for kind in ("RNN", "LSTM", "GRU"):
    L, Cell = getattr(nn, kind), getattr(nn, kind + "Cell")
    states = 2 if kind == "LSTM" else 1
    recurrent(f"nn.{kind}(3, 4)", L(3, 4), (5, 2, 3))
    recurrent(f"nn.{kind}(3, 4, {{ num_layers = 2, bidirectional = true }})", L(3, 4, num_layers=2, bidirectional=True),
              (5, 2, 3), *[(4, 2, 4)] * states)
    recurrent(f"nn.{kind}(3, 4, {{ batch_first = true, bias = false }})", L(3, 4, batch_first=True, bias=False),
              (2, 5, 3), *[(1, 2, 4)] * states)
    recurrent(f"nn.{kind}(3, 2)", L(3, 2), (4, 3))
    recurrent(f"nn.{kind}Cell(3, 4)", Cell(3, 4), (2, 3))
    recurrent(f"nn.{kind}Cell(3, 4)", Cell(3, 4), (2, 3), *[(2, 4)] * states)
    recurrent(f"nn.{kind}Cell(3, 4, {{ bias = false }})", Cell(3, 4, bias=False), (3,), *[(4,)] * states)
recurrent("nn.LSTM(3, 4, { proj_size = 2 })", nn.LSTM(3, 4, proj_size=2), (5, 2, 3))
recurrent("nn.LSTM(3, 4, { proj_size = 3, num_layers = 2, bidirectional = true })",
          nn.LSTM(3, 4, proj_size=3, num_layers=2, bidirectional=True), (5, 2, 3), (4, 2, 3), (4, 2, 4))
recurrent("nn.LSTM(3, 4, { proj_size = 1, batch_first = true, bias = false })",
          nn.LSTM(3, 4, proj_size=1, batch_first=True, bias=False), (2, 5, 3))
recurrent("nn.RNN(3, 4, { nonlinearity = 'relu' })", nn.RNN(3, 4, nonlinearity="relu"), (5, 2, 3))
recurrent("nn.RNNCell(3, 4, { nonlinearity = 'relu' })", nn.RNNCell(3, 4, nonlinearity="relu"), (2, 3))


class Packed(nn.Module):
    def __init__(self, inner, lengths, enforce):
        super().__init__()
        self.inner, self.lengths, self.enforce = inner, lengths, enforce

    def forward(self, x):
        p = nn.utils.rnn.pack_padded_sequence(x, torch.tensor(self.lengths), enforce_sorted=self.enforce)
        y, state = self.inner(p)
        return nn.utils.rnn.pad_packed_sequence(y)[0], state


for kind in ("RNN", "LSTM", "GRU"):
    L = getattr(nn, kind)
    case(f"packed(nn.{kind}(3, 4, {{ bidirectional = true }}), {{ 5, 3, 2 }}, true)",
         Packed(L(3, 4, bidirectional=True), [5, 3, 2], True), (5, 3, 3))
    case(f"packed(nn.{kind}(3, 4, {{ num_layers = 2 }}), {{ 2, 5, 3 }}, false)",
         Packed(L(3, 4, num_layers=2), [2, 5, 3], False), (5, 3, 3))

case("packed(nn.LSTM(3, 4, { proj_size = 2, bidirectional = true }), { 2, 5, 3 }, false)",
     Packed(nn.LSTM(3, 4, proj_size=2, bidirectional=True), [2, 5, 3], False), (5, 3, 3))

# -- Attention ---------------------------------------------------------------------------------------------------


class SelfAttention(nn.Module):
    def __init__(self, inner, **options):
        super().__init__()
        self.inner, self.options = inner, options

    def forward(self, q, k, v):
        return self.inner(q, k, v, **self.options)


case("wrap(nn.MultiheadAttention(4, 2))", SelfAttention(nn.MultiheadAttention(4, 2)), (3, 2, 4), (5, 2, 4), (5, 2, 4))
case("wrap(nn.MultiheadAttention(4, 2, { kdim = 3, vdim = 5, batch_first = true, bias = false }), { average_attn_weights = false })",
     SelfAttention(nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True, bias=False), average_attn_weights=False),
     (2, 3, 4), (2, 5, 3), (2, 5, 5))
case("wrap(nn.MultiheadAttention(4, 2, { add_bias_kv = true, add_zero_attn = true }))",
     SelfAttention(nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True)), (3, 2, 4), (5, 2, 4), (5, 2, 4))
case("wrap(nn.MultiheadAttention(4, 1), { need_weights = false })",
     SelfAttention(nn.MultiheadAttention(4, 1), need_weights=False), (3, 2, 4), (5, 2, 4), (5, 2, 4))
def multihead(lua, sources=5, **options):
    """F.multi_head_attention_forward of width 4 and 2 heads with out_proj weights [4, 4] and [4]."""
    case(f"function(q, k, v, w, b, ow, ob, ...) return F.multi_head_attention_forward(q, k, v, 4, 2, {lua}) end",
         lambda q, k, v, w, b, ow, ob, *more: F.multi_head_attention_forward(
             q, k, v, 4, 2, w, b, out_proj_weight=ow, out_proj_bias=ob, **{
                 "bias_k": None, "bias_v": None, "add_zero_attn": False, "dropout_p": 0.0,
                 **{name: more[v] if isinstance(v, int) and not isinstance(v, bool) else v for name, v in options.items()}}),
         (3, 2, 4), (sources, 2, 4), (sources, 2, 4), (12, 4), (12,), (4, 4), (4,),
         *(((1, 1, 4), (1, 1, 4)) if "bias_k" in options else ((4, 6, 2), (4, 6, 2)) if "static_k" in options else ()))


multihead("w, b, nil, nil, false, 0, ow, ob")
multihead("w, b, { add_zero_attn = true, out_proj_weight = ow, out_proj_bias = ob, average_attn_weights = false }",
          add_zero_attn=True, average_attn_weights=False)
multihead("w, b, (...), select(2, ...), { out_proj_weight = ow, out_proj_bias = ob, need_weights = false }", bias_k=0, bias_v=1,
          need_weights=False)
multihead("w, b, { out_proj_weight = ow, out_proj_bias = ob, static_k = (...), static_v = select(2, ...) }", static_k=0,
          static_v=1)
case("function(q, k, v, a, b, c, ow) return F.multi_head_attention_forward(q, k, v, 4, 2, { out_proj_weight = ow, "
     "use_separate_proj_weight = true, q_proj_weight = a, k_proj_weight = b, v_proj_weight = c }) end",
     lambda q, k, v, a, b, c, ow: F.multi_head_attention_forward(
         q, k, v, 4, 2, None, None, None, None, False, 0.0, ow, None, use_separate_proj_weight=True, q_proj_weight=a,
         k_proj_weight=b, v_proj_weight=c),
     (3, 2, 4), (5, 2, 3), (5, 2, 6), (4, 4), (4, 3), (4, 6), (4, 4))
for options, kwargs in (("", {}), ("reduction = 'sum'", {"reduction": "sum"}),
                        ("label_smoothing = 0.2, ignore_index = 2", {"label_smoothing": 0.2, "ignore_index": 1})):
    case(f"function(x, w, b) return F.linear_cross_entropy(x, w, kiln.tensor {{ 1, 2, 3 }}, {{ linear_bias = b, {options} }}) end",
         lambda x, w, b, kwargs=kwargs: F.linear_cross_entropy(x, w, torch.tensor([0, 1, 2]), linear_bias=b, **kwargs),
         (3, 4), (5, 4), (5,))


class Target(nn.Module):
    """A loss with its target inside, and as kiln's own a module with the loss as `inner`."""
    def __init__(self, inner, target):
        super().__init__()
        self.inner, self.target = inner, torch.tensor(target)

    def forward(self, x):
        return self.inner(x, self.target)


for lua, loss in (("", nn.LinearCrossEntropyLoss(4, 3)), (", { bias = true, reduction = 'sum' }", nn.LinearCrossEntropyLoss(4, 3, bias=True, reduction="sum")),
                  (", { label_smoothing = 0.1, reduction = 'none' }", nn.LinearCrossEntropyLoss(4, 3, label_smoothing=0.1, reduction="none"))):
    case(f"with_target(nn.LinearCrossEntropyLoss(4, 3{lua}), {{ 1, 3, 2 }})", Target(loss, [0, 2, 1]), (3, 4))
case("with_target(nn.LinearCrossEntropyLoss(4, 3, { out_features = { 2 } }), { { 1, 3 }, { 2, 2 }, { 3, 1 } })",
     Target(nn.LinearCrossEntropyLoss(4, 3, out_features=(2,)), [[0, 2], [1, 1], [2, 0]]), (3, 4))
case("function(q, k, v) return F.scaled_dot_product_attention(q, k, v) end",
     lambda q, k, v: F.scaled_dot_product_attention(q, k, v), (2, 3, 4), (2, 5, 4), (2, 5, 3))
case("function(q, k, v) return F.scaled_dot_product_attention(q, k, v, { is_causal = true }) end",
     lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), (1, 2, 4, 3), (1, 2, 4, 3), (1, 2, 4, 3))
for lua, mask in (("{ { true, true, false }, { false, false, false } }", [[True, True, False], [False] * 3]),
                  ("{ { 0.5, -math.huge, -1 }, { -math.huge, -math.huge, -math.huge } }", [[0.5, -math.inf, -1], [-math.inf] * 3])):
    case("function(q, k, v) return F.scaled_dot_product_attention(q, k, v, { attn_mask = kiln.tensor(%s)%s }) end"
         % (lua, "" if "true" in lua else ":double()"),
         lambda q, k, v, m=mask: F.scaled_dot_product_attention(q, k, v, torch.tensor(m)), (2, 2, 4), (2, 3, 4), (2, 3, 5))
case("function(q, k, v) return F.scaled_dot_product_attention(q, k, v, { scale = 0.3 }) end",
     lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3), (2, 3, 4), (2, 3, 4), (2, 3, 4))
for options, kw in (("", {}), (", norm_first = true", {"norm_first": True}), (", activation = 'gelu', batch_first = true", {"activation": "gelu", "batch_first": True})):
    case(f"nn.TransformerEncoderLayer(4, 2, {{ dim_feedforward = 6, dropout = 0{options} }})",
         nn.TransformerEncoderLayer(4, 2, dim_feedforward=6, dropout=0, **kw), (3, 2, 4))
    case(f"nn.TransformerDecoderLayer(4, 2, {{ dim_feedforward = 6, dropout = 0{options} }})",
         nn.TransformerDecoderLayer(4, 2, dim_feedforward=6, dropout=0, **kw), (3, 2, 4), (3, 2, 4))
case("nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, { dim_feedforward = 6, dropout = 0 }), 2, nn.LayerNorm(4))",
     nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, dim_feedforward=6, dropout=0), 2, nn.LayerNorm(4), enable_nested_tensor=False), (3, 2, 4))
case("nn.Transformer { d_model = 4, nhead = 2, num_encoder_layers = 1, num_decoder_layers = 1, dim_feedforward = 6, dropout = 0 }",
     nn.Transformer(4, 2, 1, 1, 6, 0), (3, 2, 4), (2, 2, 4))

# -- Three configurations of what has fewer so far --------------------------------------------------------------

case("nn.Flatten(2, 3)", nn.Flatten(1, 2), (2, 3, 4, 2))
case("nn.Unflatten(1, { 2, 2 })", nn.Unflatten(0, (2, 2)), (4, 3))
case("nn.Unflatten(-1, { 3, 1, 2 })", nn.Unflatten(-1, (3, 1, 2)), (2, 6))
case("nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))", nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)), (5, 3))
case("nn.Sequential { { 'first', nn.Linear(3, 2) }, { 'second', nn.Sigmoid() } }",
     nn.Sequential(OrderedDict(first=nn.Linear(3, 2), second=nn.Sigmoid())), (2, 3))
case("nn.Sequential()", nn.Sequential(), (2, 3))
for n, hw in ((1, (5,)), (2, (4, 5)), (3, (3, 4, 5))):
    for kind in ("Reflection", "Replication", "Circular", "Zero"):
        case(f"nn.{kind}Pad{n}d(2)", getattr(nn, f"{kind}Pad{n}d")(2), (1, 1) + hw)
    pads = [1, 2, 0, 1, 2, 1][: 2 * n]
    case(f"nn.ConstantPad{n}d({{ {', '.join(map(str, pads))} }}, 2)", getattr(nn, f"ConstantPad{n}d")(tuple(pads), 2), (2, 1) + hw)
    pool = getattr(F, f"max_pool{n}d")
    for kernel, stride in ((2, 2), (2, 3), (3, 3)):
        un = getattr(nn, f"MaxUnpool{n}d")(kernel, stride)
        case(f"function(x) local y, at = F.max_pool{n}d(x, {kernel}, {{ stride = {stride}, return_indices = true }}) "
             f"return nn.MaxUnpool{n}d({kernel}, {stride})(y * 2, at, {{ {', '.join(map(str, hw))} }}) end",
             lambda x, k=kernel, s=stride, hw=hw, un=un, pool=pool:
             un(pool(x, k, s, return_indices=True)[0] * 2, pool(x, k, s, return_indices=True)[1], output_size=hw), (1, 2) + hw)
draws = "kiln.tensor({ { { 0.25, 0.7 }, { 0.5, 0.1 } } }, { dtype = kiln.float64 })"
samples = torch.tensor([[[0.25, 0.7], [0.5, 0.1]]])
for lua, kernel, kw in (("2, { output_size = { 3, 2 }", 2, dict(output_size=(3, 2))),
                        ("{ 3, 2 }, { output_ratio = 0.5", (3, 2), dict(output_ratio=(0.5, 0.5))),
                        ("2, { return_indices = true, output_size = { 2, 3 }", 2, dict(return_indices=True, output_size=(2, 3)))):
    case(f"nn.FractionalMaxPool2d({lua}, _random_samples = {draws} }})",
         nn.FractionalMaxPool2d(kernel, _random_samples=samples, **kw), (1, 2, 7, 6), index_outputs=(1,))
for name in ("relu", "relu6", "elu", "selu", "celu", "leaky_relu", "silu", "mish", "hardswish", "hardsigmoid", "hardtanh"):
    f = getattr(F, name)
    tolerance = 1e-7 if name in ("celu", "hardsigmoid") else None
    for shape in ((3, 4), (7,), (2, 1, 3)):
        case(f"function(x) return F.{name}_(x * 3) end", lambda x, f=f: f(x * 3, inplace=True), shape, tolerance=tolerance)
for shape in ((3, 4), (7,), (2, 1, 3)):
    case("function(x) return F.threshold_(x * 3, 0.1, 20) end", lambda x: F.threshold_(x * 3, 0.1, 20), shape)
    case("function(x) return F.rrelu(x, 0.2, 0.4) end", lambda x: F.rrelu(x, 0.2, 0.4), shape)
    case("nn.RReLU(0.2, 0.4)", nn.RReLU(0.2, 0.4), shape, mode="eval")
case("nn.Softmax2d()", nn.Softmax2d(), (1, 2, 3, 1))
for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"):
    shape = (2, 3, 2, 2, 1)[: {"Dropout1d": 3, "Dropout2d": 4}.get(name, 5)]
    for p, mode in ((0.5, "eval"), (0, "train"), (1, "train")):
        case(f"nn.{name}({p})", getattr(nn, name)(p), shape, mode=mode)
for name in ("alpha_dropout", "feature_alpha_dropout", "dropout1d", "dropout2d", "dropout3d"):
    f = getattr(F, name)
    for lua, p, training in (("0.5, false", 0.5, False), ("0, true", 0.0, True), ("1, true", 1.0, True)):
        case(f"function(x) return F.{name}(x, {lua}) end", lambda x, f=f, p=p, t=training: f(x, p, t),
             (2, 3, 2, 2, 1)[: {"dropout1d": 3, "dropout2d": 4}.get(name, 5)])
for lua, target, shape in (("{ { 4, 1, 0, 2 }, { 3, 0, 1, 1 } }", [[3, 0, -1, 1], [2, -1, 0, 0]], (2, 4)),
                           ("{ 2, 4, 0, 0 }", [1, 3, -1, -1], (4,)), ("{ { 0, 1, 2 } }", [[-1, 0, 1]], (1, 3))):
    case(f"function(x) return nn.MultiLabelMarginLoss()(x, kiln.tensor({lua}, {{ dtype = kiln.int64 }})) end",
         lambda x, t=target: nn.MultiLabelMarginLoss()(x, torch.tensor(t)), shape)
for lua, kw in (("", {}), ("{ reduction = 'sum' }", dict(reduction="sum")), ("{ blank = 4, zero_infinity = true }", dict(blank=3, zero_infinity=True))):
    case(f"function(x) return nn.CTCLoss({lua})(x:log_softmax(3), kiln.tensor({{ {{ 2, 3, 3 }}, {{ 1, 2, 2 }} }}, {{ dtype = kiln.int64 }}), "
         f"{{ 6, {5 if not kw else 1} }}, {{ 3, {1 if not kw else 2} }}) end" if "blank" in kw else
         f"function(x) return nn.CTCLoss({lua})(x:log_softmax(3), kiln.tensor({{ 2, 3, 3, 4 }}, {{ dtype = kiln.int64 }}), {{ 6, 5 }}, {{ 3, 1 }}) end",
         (lambda x, kw=kw: nn.CTCLoss(**kw)(x.log_softmax(2), torch.tensor([[1, 2, 2], [0, 1, 1]]), torch.tensor([6, 1]), torch.tensor([3, 2]))) if "blank" in kw else
         (lambda x, kw=kw: nn.CTCLoss(**kw)(x.log_softmax(2), torch.tensor([1, 2, 2, 3]), torch.tensor([6, 5]), torch.tensor([3, 1]))), (6, 2, 4))
for r, shape in ((3, (1, 2, 3, 6)), (2, (2, 1, 2, 2))):
    case(f"nn.PixelUnshuffle({r})", nn.PixelUnshuffle(r), shape)
for g, shape in ((3, (2, 6, 2)), (1, (1, 2, 2, 2))):
    case(f"nn.ChannelShuffle({g})", nn.ChannelShuffle(g), shape)
for cls, lua, kw in ((nn.UpsamplingNearest2d, "size = { 5, 3 }", dict(size=(5, 3))), (nn.UpsamplingNearest2d, "scale_factor = 3", dict(scale_factor=3)),
                     (nn.UpsamplingBilinear2d, "size = { 5, 3 }", dict(size=(5, 3))), (nn.UpsamplingBilinear2d, "scale_factor = 3", dict(scale_factor=3))):
    case(f"nn.{cls.__name__} {{ {lua} }}", cls(**kw), (1, 2, 3, 2))
for lua, kw in (("{ scale_factor = 2 }", dict(scale_factor=2)), ("{ size = { 5, 3 } }", dict(size=(5, 3))), ("nil, 3", dict(scale_factor=3))):
    case(f"function(x) return F.upsample(x, {lua}) end", lambda x, kw=kw: F.interpolate(x, **kw), (1, 2, 3, 2))
    case(f"function(x) return F.upsample_nearest(x, {lua}) end", lambda x, kw=kw: F.interpolate(x, mode="nearest", **kw), (1, 2, 3, 2))
    case(f"function(x) return F.upsample_bilinear(x, {lua}) end",
         lambda x, kw=kw: F.interpolate(x, mode="bilinear", align_corners=True, **kw), (1, 2, 3, 2))
for lua, n, shape in (("x, 6", 6, (4,)), ("x, { num_classes = 8 }", 8, (2, 3)), ("x", -1, (9,))):
    case(f"function(x) return F.one_hot({lua}) end", lambda x, n=n: F.one_hot(x, n), ints(shape, 6))
for layers, norm in ((1, False), (2, True), (3, False)):
    encoder, decoder = ("nn.Transformer%sLayer(4, 2, { dim_feedforward = 6, dropout = 0 })" % kind for kind in ("Encoder", "Decoder"))
    tail = ", nn.LayerNorm(4)" if norm else ""
    case(f"nn.TransformerEncoder({encoder}, {layers}{tail})",
         nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, 0), layers, nn.LayerNorm(4) if norm else None, enable_nested_tensor=False), (3, 1, 4))
    case(f"nn.TransformerDecoder({decoder}, {layers}{tail})",
         nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, 0), layers, nn.LayerNorm(4) if norm else None), (3, 1, 4), (2, 1, 4))
for lua, kw in (("batch_first = true", dict(batch_first=True)), ("norm_first = true, activation = 'gelu'", dict(norm_first=True, activation="gelu"))):
    case(f"nn.Transformer {{ d_model = 4, nhead = 2, num_encoder_layers = 1, num_decoder_layers = 2, dim_feedforward = 6, dropout = 0, {lua} }}",
         nn.Transformer(4, 2, 1, 2, 6, 0, **kw), (2, 3, 4), (2, 3, 4))

# -- Layers that learn how wide their input is -----------------------------------------------------------


def lazy(name, lua, module, shape):
    module(torch.ones(shape))
    case(f"warm(nn.{name}({lua}), {{ {', '.join(map(str, shape))} }})", module, shape)


for lua, args, shape in (("3", (3,), (5, 4)), ("3, false", (3, False), (2, 3, 4)), ("1", (1,), (2,))):
    lazy("LazyLinear", lua, nn.LazyLinear(*args), shape)
for n, hw in ((1, (5,)), (2, (4, 5)), (3, (3, 4, 3))):
    C, T, B, N = (getattr(nn, f"Lazy{kind}{n}d") for kind in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm"))
    for lua, kw, shape in (("", {}, (2, 2) + hw), (", groups = 2, padding = 1", dict(groups=2, padding=1), (1, 4) + hw),
                           (", bias = false, stride = 2", dict(bias=False, stride=2), (2,) + hw)):
        lazy(f"LazyConv{n}d", f"4, 2, {{{lua[1:]} }}" if lua else "4, 2", C(4, 2, **kw), shape)
        lazy(f"LazyConvTranspose{n}d", f"4, 2, {{{lua[1:]} }}" if lua else "4, 2", T(4, 2, **kw), shape)
    for lua, kw, shape in (("", {}, (4, 3) + hw), ("{ affine = false, momentum = 0.3 }", dict(affine=False, momentum=0.3), (2, 3) + hw),
                           ("{ track_running_stats = false }", dict(track_running_stats=False), (2, 5) + hw)):
        lazy(f"LazyBatchNorm{n}d", lua, B(**kw), shape)
        lazy(f"LazyInstanceNorm{n}d", lua, N(**kw), shape)

if __name__ == "__main__":
    print("-- luacheck: ignore 631\n-- Written by nn.py with PyTorch %s; see there." % torch.__version__)
    print("return { cases = {")
    print("\n".join(cases))
    print("}, optimizers = {")
    print("\n".join(optimizers))
    print("}, lookups = {")
    print("\n".join(lookups))
    print("}, curves = {")
    print("\n".join(curves))
    print("}, schedulers = {")
    print("\n".join(schedulers))
    print("} }")
