"""What the ops of kiln mean in PyTorch.

An op is the function of the same name in torch.nn.functional, torch, torch.linalg or torch.special, or
the method of that name, with the arguments of its row in order; where that is not so, its expression
stands in EXPRESSIONS.  Arguments arrive as PyTorch wants them: dims, positions and index tensors from
0, dtypes as dtypes.
"""

import math

import torch
import torch.nn.functional as F

ANY = "any"  # a result that is kiln's own affair

# -- Makers --------------------------------------------------------------------------------------------


def alpha(name):
    return lambda x, y, alpha=1: getattr(torch, name)(x, y, alpha=alpha)


def scaled(name):
    return lambda *args: getattr(torch, name)(*args[:3], **dict(zip(("beta", "alpha"), args[3:])))


def reduced(name):
    """A reduction over `dims`, where none means all of them."""

    def run(x, dims=(), keepdim=False):
        dims = tuple(range(x.dim())) if not dims else tuple(dims)
        return getattr(torch, name)(x, dim=dims, keepdim=keepdim)

    return run


def over(name):
    """A reduction over `dims`, where none means all of them, with an option `dtype`."""
    return lambda x, dims=(), keepdim=False, dtype=None: getattr(torch, name)(
        x, tuple(dims) or None, keepdim, dtype=dtype)


def prod(x, dims=(), keepdim=False, dtype=None):
    x = x if dtype is None else x.to(dtype)
    for d in sorted((d % x.dim() for d in dims or range(x.dim())), reverse=True):
        x = torch.prod(x, d, keepdim)
    return x if x.dtype.is_floating_point or x.dtype == torch.int64 else torch.prod(x)


def counted(x, dims=(), keepdim=False):
    return (x != 0).sum(tuple(dims) or None, keepdim)


def spread(name):
    """var and std: dims, unbiased, keepdim, correction."""

    def run(x, dims=(), unbiased=True, keepdim=False, correction=None):
        correction = int(unbiased) if correction is None else correction
        return getattr(torch, name)(x, tuple(dims) or None, correction=correction, keepdim=keepdim)

    return run


def extreme(name):
    def run(x, other=None, keepdim=False):
        if other is None:
            return getattr(torch, name)(x)
        if isinstance(other, int):
            return getattr(torch, name)(x, other - 1 if other > 0 else other, keepdim)
        return getattr(torch, name)(x, other)

    return run


class Polygamma(torch.autograd.Function):
    """By the zeta function: torch.polygamma(1, x) has 9 digits only."""

    @staticmethod
    def forward(ctx, x, n):
        ctx.save_for_backward(x)
        ctx.n = n
        if n == 0:
            return torch.digamma(x)
        exact = (-1) ** (n + 1) * math.factorial(n) * torch.special.zeta(n + 1.0, x)
        return torch.where(torch.isfinite(x), exact, torch.polygamma(n, x))

    @staticmethod
    def backward(ctx, g):
        return g * Polygamma.apply(ctx.saved_tensors[0], ctx.n + 1), None


def polygamma(x, n):
    return Polygamma.apply(x if x.is_floating_point() else x.float(), int(n))


def clamp(x, lo=-math.inf, hi=math.inf):
    """An infinity is a bound that is left out."""
    given = [None if v is None or isinstance(v, float) and math.isinf(v) else v for v in (lo, hi)]
    if any(isinstance(v, torch.Tensor) for v in given):
        given = [v if v is None else torch.as_tensor(v, dtype=x.dtype) for v in given]
    return torch.clamp(x, *given)


def inplace(name):
    return lambda x, *args: getattr(x.clone(), name)(*args)


def scan(name):
    """A running sum or the like, from the end if `reverse`."""

    def run(x, dim, reverse=False, dtype=None):
        x = x if dtype is None else x.to(dtype)
        if not reverse:
            return getattr(torch, name)(x, dim, **({"dtype": dtype} if dtype else {}))
        return getattr(torch, name)(x.flip(dim), dim).flip(dim)

    return run


def quantile(name):
    def run(x, q, dim=None, keepdim=False, interpolation="linear"):
        q = q.to(x.dtype) if isinstance(q, torch.Tensor) else q
        return getattr(torch, name)(x, q, dim, keepdim, interpolation=interpolation)

    return run


def split_at(name):
    return lambda x, parts, *dim: getattr(torch, name)(x, parts if isinstance(parts, int) else tuple(parts), *dim)


def listed(name):
    return lambda xs, *args: getattr(torch, name)(*xs, *args)


def window(name):
    def run(n, periodic=True, *rest):
        beta, dtype = rest if len(rest) > 1 else (None, *rest)
        return getattr(torch, name)(n, periodic, **({} if beta is None else {"beta": beta}), dtype=dtype)

    return run


def matrix_norm(x, p="fro", dims=(-2, -1), keepdim=False):
    p = {"inf": math.inf, "-inf": -math.inf}.get(p, p)
    return torch.linalg.matrix_norm(x, p, tuple(dims), keepdim)


def pdist(x, p=2):
    """Not torch.pdist, whose second derivative ends the process."""
    i, j = torch.triu_indices(x.size(0), x.size(0), 1)
    return torch.linalg.vector_norm(x[i] - x[j], p, dim=1)


def areas(name):
    return lambda y, x=None, dx=1, dim=-1: (
        getattr(torch, name)(y, dx=dx, dim=dim) if x is None else getattr(torch, name)(y, x, dim=dim))


def spatial(name, *order):
    """torch.nn.functional.NAMEnd, n being the number of entries of size."""
    return lambda x, size, *args: getattr(F, f"{name}{len(size)}d")(x, size, *args)


def with_signs(vectors, *others):
    """Columns of eigenvectors turned so that their sum is positive: spec/support/canonical.lua does so too."""
    sign = vectors.detach().sum(-2, keepdim=True).sign()
    return tuple(v * sign for v in (vectors, *others))


# -- Indices -------------------------------------------------------------------------------------------


def index(x, *indices):
    return x[tuple(slice(None) if i is None else i for i in indices)]


def index_put(x, value, *indices, accumulate=False):
    accumulate = accumulate or len(indices) == 9 and indices[8]
    y = x.clone()
    where = tuple(slice(None) if i is None else i for i in indices[:8])
    while where and isinstance(where[-1], slice):
        where = where[:-1]
    if accumulate:
        return torch.index_put(x, where, torch.as_tensor(value, dtype=x.dtype), True)
    y[where] = value
    return y


def segment_max(x, segment, count):
    best = torch.zeros(count, x.shape[1], dtype=x.dtype)
    rows = torch.full((count, x.shape[1]), -1)
    values = []
    for s in range(count):
        at = (segment == s).nonzero().flatten()
        if len(at):
            top, where = x[at].max(0)
            rows[s] = at[where]
            values.append(top)
        else:
            values.append(best[s])
    return torch.stack(values), rows


# -- Convolution and pooling -----------------------------------------------------------------------------


def convolution_dx(g, weight, size, stride, padding, dilation, groups):
    return torch.nn.grad.conv2d_input(size, weight, g, stride, padding, dilation, groups)


def convolution_dw(g, x, size, stride, padding, dilation, groups):
    return torch.nn.grad.conv2d_weight(x, size, g, stride, padding, dilation, groups)


def max_pool(x, size, stride, padding, dilation, ceil_mode=False):
    pool = getattr(F, f"max_pool{len(size)}d")
    return pool(x, size, stride, padding, dilation, ceil_mode, return_indices=True)


def adaptive_max_pool(x, size):
    return getattr(F, f"adaptive_max_pool{len(size)}d")(x, size, return_indices=True)


def avg_pool(x, size, stride, padding, ceil_mode=False, count_include_pad=True, divisor=None):
    if len(size) == 1:
        return F.avg_pool1d(x, size, stride, padding, ceil_mode, count_include_pad)
    stride = stride * len(size) if len(stride) == 1 else stride
    padding = padding * len(size) if len(padding) == 1 else padding
    return getattr(F, f"avg_pool{len(size)}d")(x, size, stride, padding, ceil_mode, count_include_pad, divisor)


def max_unpool(x, positions, size, add=False):
    lead = x.shape[: x.dim() - len(size)]
    flat = torch.zeros(*lead, math.prod(size), dtype=x.dtype)
    at, values = positions.reshape(*lead, -1), x.reshape(*lead, -1)
    flat = flat.scatter_add(-1, at, values) if add else flat.scatter(-1, at, values)
    return flat.reshape(*lead, *size)


def fractional_max_pool(x, samples, size, output_size):
    pool = F.fractional_max_pool2d_with_indices if x.dim() == 4 else F.fractional_max_pool3d_with_indices
    return pool(x, size, output_size, _random_samples=samples)


def fractional_max_pool2d(x, size, output_size=None, ratio=None, return_indices=False, samples=None):
    return F.fractional_max_pool2d(x, size, output_size, ratio, return_indices, samples)


def fractional_max_pool3d(x, size, output_size=None, ratio=None, return_indices=False, samples=None):
    return F.fractional_max_pool3d(x, size, output_size, ratio, return_indices, samples)


def widened(x):
    """Its values, in float32 where it is a half: what kiln keeps beside a result."""
    return x.detach().float() if x.dtype in (torch.float16, torch.bfloat16) else x.detach()


def batch_norm_train(x, weight=None, bias=None, eps=1e-5):
    dims = [d for d in range(x.dim()) if d != 1]
    y = F.batch_norm(x, None, None, weight, bias, True, 0.1, eps)
    wide = widened(x)
    return y, wide.mean(dims), wide.var(dims, unbiased=False)


def batch_norm_eval(x, mean, var, weight=None, bias=None, eps=1e-5):
    shape = [1, -1] + [1] * (x.dim() - 2)
    y = (x - mean.reshape(shape)) / torch.sqrt(var.reshape(shape) + eps)
    y = y if weight is None else y * weight.reshape(shape)
    return y if bias is None else y + bias.reshape(shape)


def batch_norm(x, mean=None, var=None, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    if training:
        return F.batch_norm(x, mean, var, weight, bias, True, momentum, eps)
    return batch_norm_eval(x, mean, var, weight, bias, eps)


# -- Recurrent layers ------------------------------------------------------------------------------------


def attention(q, k, v, scale, causal=False):
    scores = q @ k.mT * scale
    if causal:
        scores = scores + torch.full_like(scores, -math.inf).triu(1)
    return scores.softmax(-1) @ v, widened(scores).logsumexp(-1)


def rnn_layer(gates, sizes, h, c, w, b, mode, reverse=False):
    sizes = (sizes + 1).tolist()  # counts, not positions
    starts = [sum(sizes[:t]) for t in range(len(sizes))]
    outs = [None] * len(sizes)
    order = reversed(range(len(sizes))) if reverse else range(len(sizes))
    for t in order:
        n = sizes[t]
        x, old = gates[starts[t] : starts[t] + n], h[:n]
        a = old @ w.t() + (0 if b is None else b)
        if mode == "lstm":
            i, f, g, o = (x + a).chunk(4, 1)
            cell = torch.sigmoid(f) * c[:n] + torch.sigmoid(i) * torch.tanh(g)
            new = torch.sigmoid(o) * torch.tanh(cell)
            c = torch.cat([cell, c[n:]])
        elif mode == "gru":
            xr, xz, xn = x.chunk(3, 1)
            ar, az, an = a.chunk(3, 1)
            r, z = torch.sigmoid(xr + ar), torch.sigmoid(xz + az)
            new = (1 - z) * torch.tanh(xn + r * an) + z * old
        else:
            new = torch.tanh(x + a) if mode == "tanh" else torch.relu(x + a)
        outs[t] = new
        h = torch.cat([new, h[n:]])
    return torch.cat(outs), h, c if mode == "lstm" else ANY, ANY


# -- Linear algebra: older names, and the packed forms of LAPACK -------------------------------------------


def pivots_of(positions):
    return (positions + 1).to(torch.int32)


def lu_factor(x, *_):
    factors, pivots, info = torch.linalg.lu_factor_ex(x.detach())
    return factors, pivots.long(), info.long()


def lu_solve(b, lu, pivots, transpose=False):
    return torch.linalg.lu_solve(lu, pivots_of(pivots), b, adjoint=transpose)


def btrisolve(b, lu, pivots):
    return lu_solve(b.unsqueeze(-1), lu, pivots).squeeze(-1) if b.dim() < lu.dim() else lu_solve(b, lu, pivots)


def lu_permutation(pivots, rows):
    order = list(range(rows))
    for i, p in enumerate(pivots.tolist()):
        order[i], order[p] = order[p], order[i]
    return torch.tensor(order)


def pstrf(x, upper=True):
    from scipy.linalg.lapack import dpstrf

    if not x.is_floating_point():
        raise TypeError("the samples are positive definite as floats only")
    factor, order, rank, _ = dpstrf(x.detach().double().numpy(), lower=not upper)
    factor = torch.from_numpy(factor).to(x.dtype)
    return (factor.triu() if upper else factor.tril()), torch.from_numpy(order).long(), torch.tensor(rank)


def eigh(x, uplo="L"):
    values, vectors = torch.linalg.eigh(x, UPLO=uplo)
    return values, *with_signs(vectors)


def symeig(x, eigenvectors=False, upper=True):
    values, vectors = eigh(x, "U" if upper else "L")
    return values, vectors if eigenvectors else torch.empty(0, dtype=x.dtype)


def eig(x, eigenvectors=False):
    if x.dim() > 2:
        values, vectors = zip(*(eig(m, eigenvectors) for m in x))
        return torch.stack(values), torch.stack(vectors)
    values, vectors = torch.linalg.eig(x)
    columns, k = [], 0
    while k < len(values):
        columns.append(vectors[:, k].real)
        if values[k].imag != 0:
            columns.append(vectors[:, k].imag)
            k += 1
        k += 1
    packed = torch.stack(columns, 1) if eigenvectors else torch.empty(0, dtype=x.dtype)
    return torch.view_as_real(values), *(with_signs(packed) if eigenvectors else [packed])


def triangle(x, upper):
    return x.triu() if upper else x.tril()


def triangular_solve(b, a, upper=True, transpose=False, unitriangular=False):
    return torch.triangular_solve(b, a, upper, transpose, unitriangular).solution


def svd(x, some=True):
    u, s, vh = torch.linalg.svd(x, full_matrices=not some)
    u, v = with_signs(u, vh.mT)
    return u, s, v


def tensordot(x, y, dims=2):
    return torch.tensordot(x, y, dims if isinstance(dims, int) else [[d - 1 for d in part] for part in dims])


# -- Losses --------------------------------------------------------------------------------------------------


def class_nll(x, target, weight=None, smoothing=0, ignore_index=-100, reduction="mean"):
    """cross_entropy of logits whose log_softmax is x; smoothing as F.cross_entropy has it."""
    if ignore_index > 0:
        ignore_index -= 1
    dim = 1 if x.dim() > 1 else 0
    w = torch.ones(x.shape[dim], dtype=x.dtype) if weight is None else weight.detach()
    kept = target != ignore_index
    at = torch.where(kept, target, 0)
    own = -x.gather(dim, at.unsqueeze(dim)).squeeze(dim) * w[at]
    shape = [1] * x.dim()
    shape[dim] = -1
    every = -(x * w.reshape(shape)).sum(dim)
    if smoothing:
        own = (1 - smoothing) * own + smoothing / x.shape[dim] * every
    losses = torch.where(kept, own, 0.0)
    if reduction == "none":
        return losses
    return losses.sum() / torch.where(kept, w[at], 0.0).sum() if reduction == "mean" else losses.sum()


def softmax_nll(x, target, *args):
    return class_nll(F.log_softmax(x, 1), target, *args), torch.logsumexp(widened(x), 1)


def multilabel_margin(x, target):
    losses = F.multilabel_margin_loss(x, target, reduction="none")
    (slope,) = torch.autograd.grad(
        F.multilabel_margin_loss(v := x.detach().requires_grad_(), target, reduction="sum"), v)
    return losses, slope


def bernoulli_nll_weighted(x, y, pos_weight):
    return F.binary_cross_entropy_with_logits(x, y, pos_weight=pos_weight, reduction="none")


def without_reduction(name, *parameters, **options):
    """A loss of each element; `parameters` are names for what follows x and y."""

    def run(x, y, *args):
        x, y = torch.broadcast_tensors(x, y)
        return getattr(F, name)(x, y, reduction="none", **options, **dict(zip(parameters, args)))

    return run


def gradient(x, spacing=None, dims=None, edge_order=1):
    if isinstance(spacing, list):
        spacing = [v if isinstance(v, torch.Tensor) else float(v) for v in spacing]
    dims = list(range(x.dim())) if dims is None else dims
    return torch.gradient(x, spacing=1 if spacing is None else spacing, dim=dims, edge_order=edge_order)


def histogramdd(x, bins, range=None, weight=None, density=False):
    bins = [bins] * x.shape[-1] if isinstance(bins, int) else bins
    counts, edges = torch.histogramdd(x, bins, range=range, weight=weight, density=density)
    return counts, *edges


def median(name):
    def run(x, dim=None, keepdim=False):
        if dim is not None:
            return getattr(torch, name)(x, dim, keepdim)
        value = getattr(torch, name)(x)
        where = (x.reshape(-1) == value).nonzero()
        return value, where[0, 0] if len(where) else ANY

    return run


def lstsq(a, b):
    """A vector for each matrix is a column, whose gradient PyTorch has."""
    if b.dim() == a.dim() - 1:
        return torch.linalg.lstsq(a, b.unsqueeze(-1)).solution.squeeze(-1)
    return torch.linalg.lstsq(a, b).solution


def kl_div(x, y, size_average=None, reduce=None, reduction="mean", log_target=False):
    return F.kl_div(x, y, size_average, reduce, reduction, log_target=log_target)


def poisson_nll_loss(x, y, log_input=True, full=False, eps=1e-8):
    return F.poisson_nll_loss(x, y, log_input=log_input, full=full, eps=eps)


EXPRESSIONS = {
    # elementwise
    "add": alpha("add"),
    "sub": alpha("sub"),
    "rsub": lambda x, y: y - x,
    "addcmul": lambda x, y, z, value=1: torch.addcmul(x, y, z, value=value),
    "addcdiv": lambda x, y, z, value=1: torch.addcdiv(x, y, z, value=value),
    "polygamma_of": polygamma,
    "polygamma": lambda n, x: polygamma(x, n) if isinstance(n, int) else polygamma(n, x),
    "clamp": clamp,
    "aminmax": lambda x, dim=None, keepdim=False: torch.aminmax(x, dim=dim, keepdim=keepdim),
    "within": lambda x, y, rtol, atol: ((x - y).abs() <= atol + rtol * y.abs()) | (x == y),
    "div": lambda x, y, rounding_mode=None: torch.div(x, y, rounding_mode=rounding_mode),
    "trunc_divide": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "clamp_min": lambda x, y: torch.clamp(x, min=y),
    "clamp_max": lambda x, y: torch.clamp(x, max=y),
    "heaviside": lambda x, y: torch.heaviside(x, y.to(x.dtype)),
    "isin": lambda x, y, invert=False: torch.isin(x, y, invert=invert),
    "i1": torch.special.i1,
    # activations
    "scaled_relu": lambda x, slope: torch.where(x > 0, x.to(torch.result_type(x, 1.0)), slope * x),
    "hardsigmoid": lambda x: torch.clamp(x + 3, 0, 6) / 6,  # whose derivative PyTorch takes in float32
    "gelu_erf": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "gelu": lambda x, approximate="none": F.gelu(x, approximate=approximate),
    # reductions and scans
    "sum": over("sum"),
    "mean": over("mean"),
    "nansum": over("nansum"),
    "nanmean": over("nanmean"),
    "prod": prod,
    "amax": reduced("amax"),
    "amin": reduced("amin"),
    "all": lambda x, dims=(), keepdim=False: torch.all(x != 0, tuple(dims) or None, keepdim),
    "any": lambda x, dims=(), keepdim=False: torch.any(x != 0, tuple(dims) or None, keepdim),
    "count_nonzero": counted,
    "norm": lambda x, p=2, dims=(), keepdim=False: torch.linalg.vector_norm(x, p, tuple(dims) or None, keepdim),
    "var": spread("var"),
    "std": spread("std"),
    "max_along": torch.max,
    "min_along": torch.min,
    "max": extreme("max"),
    "min": extreme("min"),
    "logsumexp": reduced("logsumexp"),
    "cumsum": scan("cumsum"),
    "cumprod": scan("cumprod"),
    "logcumsumexp": scan("logcumsumexp"),
    # views and copies
    "cast": lambda x, dtype: x.to(dtype),
    "copy": inplace("copy_"),
    "fill": inplace("fill_"),
    "unfold": torch.Tensor.unfold,
    "slice": lambda x, dim, first, last, step=1: x.movedim(dim, 0)[first : last + 1 or None : step].movedim(0, dim),
    # indices
    "index": index,
    "index_put": index_put,
    "index_add": lambda x, dim, index, src, a=1: torch.index_add(x, dim, index, src, alpha=a),
    "masked_copy": torch.masked_scatter,
    "segment_max": segment_max,
    "embedding": lambda weight, index, padding_idx=None, by_freq=False: F.embedding(
        index, weight, padding_idx, scale_grad_by_freq=by_freq),
    "embedding_bag": lambda weight, index, offsets=None, mode="mean", padding_idx=None: F.embedding_bag(
        index, weight, offsets, mode=mode, padding_idx=padding_idx),
    "searchsorted": lambda s, x, right=False: torch.searchsorted(s, x, right=right),
    "bincount": lambda x, *args: torch.bincount(x - 1, *args),
    "bucketize": lambda x, boundaries, right=False: torch.bucketize(x, boundaries, right=right),
    "repeat_interleave": torch.repeat_interleave,
    "unique": lambda x, s=True, i=False, c=False, dim=None: torch.unique(x, s, i, c, dim),
    "unique_consecutive": torch.unique_consecutive,
    "sort": lambda x, dim=-1, descending=False, stable=True: torch.sort(x, dim=dim, descending=descending, stable=True),
    "argsort": lambda x, dim=-1, descending=False: torch.argsort(x, dim=dim, descending=descending, stable=True),
    "median": median("median"),
    "nanmedian": median("nanmedian"),
    # products
    "addmm": scaled("addmm"),
    "addmv": scaled("addmv"),
    "addr": scaled("addr"),
    "baddbmm": scaled("baddbmm"),
    "addbmm": scaled("addbmm"),
    # convolution, pooling
    "convolution": torch.convolution,
    "convolution_dx": convolution_dx,
    "convolution_dw": convolution_dw,
    "max_pool": max_pool,
    "adaptive_max_pool": adaptive_max_pool,
    "avg_pool": avg_pool,
    "adaptive_avg_pool": spatial("adaptive_avg_pool"),
    "max_unpool": max_unpool,
    "fractional_max_pool": fractional_max_pool,
    "fractional_max_pool2d": fractional_max_pool2d,
    "fractional_max_pool3d": fractional_max_pool3d,
    # normalisation
    "batch_norm_train": batch_norm_train,
    "batch_norm_eval": batch_norm_eval,
    "batch_norm": batch_norm,
    "rms_norm": lambda x, shape, weight=None, eps=2**-23: F.rms_norm(x, shape, weight, eps),
    "attention": attention,
    "rnn_layer": rnn_layer,
    "igamma": lambda a, x: torch.igamma(a.detach() if a.requires_grad else a, x),
    "igammac": lambda a, x: torch.igammac(a.detach() if a.requires_grad else a, x),
    # statistics
    "gradient": gradient,
    "histogram": lambda x, bins, range=None, weight=None, density=False: torch.histogram(
        x, bins, range=range, weight=weight, density=density),
    "histogramdd": histogramdd,
    "quantile": quantile("quantile"),
    "nanquantile": quantile("nanquantile"),
    "var_mean": lambda x, *args: (spread("var")(x, *args), x.mean(tuple(args[0]) if args and args[0] else None,
                                                                  keepdim=len(args) > 2 and args[2])),
    "std_mean": lambda x, *args: (spread("std")(x, *args), x.mean(tuple(args[0]) if args and args[0] else None,
                                                                  keepdim=len(args) > 2 and args[2])),
    "cov": lambda x, correction=1, fweights=None, aweights=None: torch.cov(
        x, correction=correction, fweights=fweights, aweights=aweights),
    "trapezoid": areas("trapezoid"),
    "cumulative_trapezoid": areas("cumulative_trapezoid"),
    # parts
    "tensor_split": split_at("tensor_split"),
    "hsplit": split_at("hsplit"),
    "vsplit": split_at("vsplit"),
    "dsplit": split_at("dsplit"),
    "broadcast_tensors": listed("broadcast_tensors"),
    "block_diag": listed("block_diag"),
    "cartesian_prod": listed("cartesian_prod"),
    "slice_scatter": lambda x, src, dim=0, first=0, last=-1, step=1: torch.slice_scatter(
        x, src, dim, first, last + 1 or x.size(dim), step),
    "meshgrid": lambda xs, indexing="ij": torch.meshgrid(*xs, indexing=indexing),
    "hann_window": window("hann_window"),
    "hamming_window": window("hamming_window"),
    "blackman_window": window("blackman_window"),
    "bartlett_window": window("bartlett_window"),
    "kaiser_window": window("kaiser_window"),
    "scatter_reduce": lambda x, dim, index, src, how, include=True: torch.scatter_reduce(
        x, dim, index, src, how, include_self=include),
    "index_reduce": lambda x, dim, index, src, how, include=True: torch.index_reduce(
        x, dim, index, src, how, include_self=include),
    # linear algebra
    "matrix_norm": matrix_norm,
    "cond": torch.linalg.cond,
    "solve_triangular": lambda a, b, upper, left=True, unit=False: torch.linalg.solve_triangular(
        a, b, upper=upper, left=left, unitriangular=unit),
    "vander": lambda x, n=None, increasing=False: torch.vander(x, n, increasing),
    "vecdot": lambda x, y, dim=-1: torch.linalg.vecdot(x, y, dim=dim),
    "multi_dot": torch.linalg.multi_dot,
    "pdist": pdist,
    "solve": torch.linalg.solve,
    "triangular_solve": triangular_solve,
    "lstsq": lstsq,
    "gesv": lambda b, a: (torch.linalg.solve(a, b), torch.linalg.lu_factor(a)[0]),
    "gels": lambda b, a: (lstsq(a, b), torch.geqrf(a.detach())[0]),
    "trtrs": lambda b, a, *args: (triangular_solve(b, a, *args), a),
    "lu_factor": lu_factor,
    "lu_solve": lu_solve,
    "lu_permutation": lu_permutation,
    "lu": lambda x: lu_factor(x)[:2],
    "btrifact": lambda x: lu_factor(x)[:2],
    "btrifact_with_info": lu_factor,
    "btrisolve": btrisolve,
    "btriunpack": lambda lu, pivots: torch.lu_unpack(lu, pivots_of(pivots)),
    "lu_unpack": lambda lu, pivots: torch.lu_unpack(lu, pivots_of(pivots)),
    "cholesky": lambda x, upper=False: torch.linalg.cholesky(x, upper=upper),
    "potrf": lambda x, upper=True: torch.linalg.cholesky(x, upper=upper),
    "cholesky_inverse": lambda x, upper=False: torch.cholesky_inverse(triangle(x, upper), upper),
    "cholesky_solve": lambda b, x, upper=False: torch.cholesky_solve(b, triangle(x, upper), upper),
    "potri": lambda x, upper=True: torch.cholesky_inverse(triangle(x, upper), upper),
    "potrs": lambda b, x, upper=True: torch.cholesky_solve(b, triangle(x, upper), upper),
    "pstrf": pstrf,
    "qr": lambda x, some=True: torch.linalg.qr(x, "reduced" if some else "complete"),
    "svd": svd,
    "symmetric_eig": lambda x, upper=True: eigh(x, "U" if upper else "L"),
    "symeig": symeig,
    "eigh": eigh,
    "eigvalsh": lambda x, uplo="L": torch.linalg.eigvalsh(x, UPLO=uplo),
    "eig": eig,
    "matrix_rank": lambda x, tol=None, symmetric=False: torch.linalg.matrix_rank(x, atol=tol, hermitian=symmetric),
    "pinverse": lambda x, rcond=1e-15: torch.linalg.pinv(x, rtol=rcond),
    "pinv": lambda x, rtol=None, hermitian=False, atol=None: torch.linalg.pinv(x, atol=atol, rtol=rtol, hermitian=hermitian),
    "expm": torch.matrix_exp,
    "cross": torch.cross,
    "tensordot": tensordot,
    "einsum": torch.einsum,
    # losses
    "squared_error": without_reduction("mse_loss"),
    "absolute_error": without_reduction("l1_loss"),
    "smooth_l1_error": without_reduction("smooth_l1_loss", "beta"),
    "huber_error": without_reduction("huber_loss", "delta"),
    "bernoulli_nll": without_reduction("binary_cross_entropy"),
    "bernoulli_nll_logits": without_reduction("binary_cross_entropy_with_logits"),
    "bernoulli_nll_weighted": bernoulli_nll_weighted,
    "kl_error": without_reduction("kl_div"),
    "kl_error_log": without_reduction("kl_div", log_target=True),
    "soft_margin_error": without_reduction("soft_margin_loss"),
    "class_nll": class_nll,
    "softmax_nll": softmax_nll,
    "multilabel_margin": multilabel_margin,
    "kl_div": kl_div,
    "poisson_nll_loss": poisson_nll_loss,
}

# Losses whose `target` is classes from 1, though their rows take a target of any dtype.
CLASSES = {"nll_loss", "cross_entropy", "multi_margin_loss", "multilabel_margin_loss"}

# Results that are positions, from 1 in kiln: the numbers of the outputs.  Rows whose dtype rule is
# values_index need not stand here.
POSITIONS = {
    "max": [1],
    "min": [1],
    "argmax": [0],
    "argmin": [0],
    "argsort": [0],
    "nonzero": [0],
    "argwhere": [0],
    "searchsorted": [0],
    "bucketize": [0],
    "tril_indices": [0],
    "triu_indices": [0],
    "lu_permutation": [0],
    "median": [1],
    "nanmedian": [1],
    "unravel_index": [0, 1, 2],
}


def expression(name):
    if name in EXPRESSIONS:
        return EXPRESSIONS[name]
    for place in (F, torch, torch.linalg, torch.special, torch.Tensor):
        if hasattr(place, name):
            return getattr(place, name)
    raise LookupError("PyTorch has nothing of this name; say in expressions.py what it is, or give the row "
                      "`torch = false` and a `reference`")
