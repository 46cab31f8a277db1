"""What PyTorch's distributions, transforms and divergences give, with gradients: importing it adds cases."""
import torch

from nn_formulas import case, ints, prob

D = torch.distributions
torch.distributions.Distribution.set_default_validate_args(False)


def distribution(name, shapes, value, more=("entropy", "mean", "variance")):
    """log_prob of a value and other quantities, with gradients in the parameters and the value."""
    n = len(shapes)
    params = ", ".join("abc"[:n])
    extra = "".join(", d:%s()" % m if m == "entropy" else ", d.%s" % m for m in more)
    head = "function(%s, x) local d = D.%s(%s) return d:log_prob(x)%s end" % (params, name, params, extra)

    def run(*xs):
        d = getattr(D, name)(*xs[:n])
        return [d.log_prob(xs[n])] + [d.entropy() if m == "entropy" else getattr(d, m) for m in more]
    case(head, run, *shapes, value, tolerance=1e-8 if name == "Beta" else None)


for batch in ((), (3,)):
    real, positive = batch or (1,), prob(*(batch or (1,)))
    distribution("Normal", [real, positive], (2,) + real)
    distribution("LogNormal", [real, positive], prob(2, *real))
    distribution("Laplace", [real, positive], (2,) + real)
    distribution("Cauchy", [real, positive], (2,) + real, more=("entropy",))
    distribution("Exponential", [positive], prob(2, *real))
    distribution("Gamma", [positive, positive], prob(2, *real))
    distribution("Chi2", [positive], prob(2, *real))
    distribution("Beta", [positive, positive], prob(2, *real))
    distribution("StudentT", [positive, real, positive], (2,) + real, more=("entropy",))
    distribution("Bernoulli", [positive], prob(2, *real))
    distribution("Geometric", [positive], prob(2, *real))
    distribution("Poisson", [positive], prob(2, *real), more=("mean", "variance"))
    distribution("Dirichlet", [prob(*batch, 4)], ("simplex", batch + (4,)))
    distribution("Categorical", [prob(*batch, 4)], ints((5,) + batch, 4), more=("entropy", "probs", "logits"))
    distribution("OneHotCategorical", [prob(*batch, 4)], ("onehot", (5,) + batch + (4,)))
    distribution("HalfNormal", [positive], prob(2, *real))
    distribution("HalfCauchy", [positive], prob(2, *real), more=("entropy",))
    distribution("Gumbel", [real, positive], (2,) + real)
    distribution("InverseGamma", [positive, positive], prob(2, *real), more=("entropy",))
    distribution("Weibull", [positive, positive], prob(2, *real))
    distribution("Kumaraswamy", [positive, positive], prob(2, *real))
    distribution("VonMises", [real, positive], (2,) + real, more=("mean", "variance"))
    distribution("NegativeBinomial", [positive, positive], prob(2, *real), more=("mean", "variance"))
    distribution("ContinuousBernoulli", [positive], prob(2, *real))
    distribution("RelaxedBernoulli", [positive, positive], prob(2, *real), more=())
    distribution("LogisticNormal", [(*batch, 3), prob(*batch, 3)], ("simplex", (2,) + batch + (4,)), more=())
    distribution("LowRankMultivariateNormal", [(*batch, 3), (*batch, 3, 2), prob(*batch, 3)], (2,) + batch + (3,),
                 more=("entropy", "mean", "variance", "covariance_matrix", "precision_matrix"))


# Distributions whose parameters are not as they come: the formulas stand in Lua and in Python at once.
def formula(lua, fn, *shapes, **kw):
    head, body = lua.split(": ", 1)
    case(f"function({head}) {body} end", fn, *shapes, **kw)


def all_of(make, *names, cdf=False):
    def run(*xs):
        d, x = make(*xs[:-1]), xs[-1]
        return [d.log_prob(x)] + [d.entropy() if n == "entropy" else getattr(d, n) for n in names] + ([d.cdf(x)] if cdf else [])
    return run


for shape in ((1,), (3,), (2, 3)):
    p = prob(*shape)
    formula("a, b, x: local d = D.Pareto(a, b + 2.5) local y = a + x return d:log_prob(y), d:entropy(), d.mean, d.variance, d:cdf(y)",
            lambda a, b, x: all_of(lambda a, b: D.Pareto(a, b + 2.5), "entropy", "mean", "variance", cdf=True)(a, b, a + x), p, p, p)
    formula("a, b, x: local d = D.FisherSnedecor(a + 2.5, b + 4.5) return d:log_prob(x), d.mean, d.variance, d.mode",
            all_of(lambda a, b: D.FisherSnedecor(a + 2.5, b + 4.5), "mean", "variance", "mode"), p, p, p)
    formula("a, b: local d = D.InverseGamma(a + 2.5, b) return d.mean, d.variance, d.mode",
            lambda a, b: (lambda d: [d.mean, d.variance, d.mode])(D.InverseGamma(a + 2.5, b)), p, p)
    formula("l, x: local d = D.Binomial(7, { logits = l }) return d:log_prob((x * 7):floor()), d:entropy(), d.mean, d.variance, d.probs",
            lambda l, x: all_of(lambda l: D.Binomial(7, logits=l), "entropy", "mean", "variance", "probs")(l, (x * 7).floor()), shape, p)
    formula("l, x: local d = D.NegativeBinomial(3, { logits = l }) return d:log_prob((x * 7):floor()), d.mean, d.variance, d.probs",
            lambda l, x: all_of(lambda l: D.NegativeBinomial(3, logits=l), "mean", "variance", "probs")(l, (x * 7).floor()), shape, p)
    formula("t, l, x: local d = D.RelaxedOneHotCategorical(0.7, { logits = l }) return d:log_prob(x:softmax(-1)) * t:sum()",
            lambda t, l, x: [D.RelaxedOneHotCategorical(torch.tensor(0.7), logits=l).log_prob(x.softmax(-1)) * t.sum()], (1,), shape, shape)
    formula("p, x: local d = D.ContinuousBernoulli(0.5 + (p - 0.5) * 0.002) return d:log_prob(x), d:entropy(), d.mean, d.variance, d:cdf(x), d:icdf(x)",
            lambda p, x: (lambda d: [d.log_prob(x), d.entropy(), d.mean, d.variance, d.cdf(x), d.icdf(x)])(D.ContinuousBernoulli(0.5 + (p - 0.5) * 0.002)), p, p)
formula("l: local d = D.Multinomial(5, { logits = l }) return d:entropy(), d.probs", lambda l: (lambda d: [d.entropy(), d.probs])(D.Multinomial(5, logits=l)), (3,))
formula("l: local d = D.Binomial(7, { logits = l }) return d:log_prob(d:enumerate_support())", lambda l: (lambda d: [d.log_prob(d.enumerate_support())])(D.Binomial(7, logits=l)), (3,))

# Quantiles.
for name, n in (("LogNormal", 2), ("HalfNormal", 1), ("Cauchy", 2), ("HalfCauchy", 1), ("Gumbel", 2), ("Exponential", 1),
                ("Weibull", 2), ("Kumaraswamy", 2), ("ContinuousBernoulli", 1)):
    names = ", ".join("ab"[:n])
    formula(f"{names}, x, p: local d = D.{name}({names}) return d:cdf(x), d:icdf(p)",
            lambda *xs, c=getattr(D, name), n=n: (lambda d: [d.cdf(xs[n]), d.icdf(xs[n + 1])])(c(*xs[:n])),
            *([prob(3)] * (n + 2)))

# Modes.
for name, n in (("Normal", 2), ("LogNormal", 2), ("HalfNormal", 1), ("Laplace", 2), ("Cauchy", 2), ("HalfCauchy", 1), ("Gumbel", 2),
                ("Exponential", 1), ("VonMises", 2), ("Pareto", 2), ("Geometric", 1), ("Poisson", 1)):
    names = ", ".join("ab"[:n])
    formula(f"{names}: return D.{name}({names}).mode:detach()", lambda *xs, c=getattr(D, name): [c(*xs).mode.detach()], *([prob(4)] * n))
for name in ("Gamma", "Beta", "Weibull"):
    formula(f"a, b: return D.{name}(a + 1.1, b + 1.2).mode", lambda a, b, c=getattr(D, name): [c(a + 1.1, b + 1.2).mode], prob(3), prob(3))
formula("a: return D.Bernoulli(a * 0.9).mode:detach()", lambda a: [D.Bernoulli(a * 0.9).mode.detach()], prob(3))
formula("a: return D.Dirichlet(a + 1).mode:detach()", lambda a: [D.Dirichlet(a + 1).mode.detach()], prob(2, 3))
formula("a: return D.Binomial(7, a).mode:detach()", lambda a: [D.Binomial(7, a).mode.detach()], prob(3))
formula("a: return D.NegativeBinomial(7, a).mode:detach()", lambda a: [D.NegativeBinomial(7, a).mode.detach()], prob(3))
formula("a: return D.OneHotCategorical(a).mode", lambda a: [D.OneHotCategorical(a).mode], prob(2, 3))
formula("a: return D.Categorical(a).mode - 1", lambda a: [D.Categorical(a).mode], prob(2, 3))

# Normal vectors by each of their matrices.
for batch in ((), (2,)):
    for name, lua, py in (
            ("covariance_matrix", "kiln.matmul(m, m:transpose(-2, -1)) + kiln.eye(3):double()", lambda m: m @ m.mT + torch.eye(3)),
            ("precision_matrix", "kiln.matmul(m, m:transpose(-2, -1)) + kiln.eye(3):double()", lambda m: m @ m.mT + torch.eye(3)),
            ("scale_tril", "m:tril(-1) + kiln.eye(3):double() * 1.5", lambda m: m.tril(-1) + torch.eye(3) * 1.5)):
        formula(f"a, m, x: local d = D.MultivariateNormal(a, {{ {name} = {lua} }}) return d:log_prob(x), d:entropy(), d.mean, d.variance, "
                "d.covariance_matrix, d.precision_matrix, d.scale_tril",
                lambda a, m, x, name=name, py=py: all_of(lambda a, m: D.MultivariateNormal(a, **{name: py(m)}), "entropy", "mean", "variance",
                                                         "covariance_matrix", "precision_matrix", "scale_tril")(a, m, x), batch + (3,), batch + (3, 3), (2,) + batch + (3,))
for first in ("scale_tril", "low rank"):
    for second in ("scale_tril", "low rank"):
        lua = [f"D.MultivariateNormal({a}, {{ scale_tril = {m}:tril(-1) + kiln.eye(3):double() * 1.5 }})" if kind == "scale_tril"
               else f"D.LowRankMultivariateNormal({a}, {m}:narrow(-1, 1, 2), ({a} * {a}) + 1)" for kind, a, m in ((first, "a", "m"), (second, "b", "n"))]
        py = [(lambda a, m: D.MultivariateNormal(a, scale_tril=m.tril(-1) + torch.eye(3) * 1.5)) if kind == "scale_tril"
              else (lambda a, m: D.LowRankMultivariateNormal(a, m[..., :2], a * a + 1)) for kind in (first, second)]
        formula(f"a, m, b, n: return D.kl_divergence({lua[0]}, {lua[1]})", lambda a, m, b, n, py=py: [D.kl_divergence(py[0](a, m), py[1](b, n))],
                (2, 3), (2, 3, 3), (2, 3), (2, 3, 3))

# Distribution functions, whose gradients are in the value.
for name, lua, make in (("Gamma", "a + 1, b", lambda a, b: D.Gamma(a + 1, b)), ("Chi2", "a * 9", lambda a, b: D.Chi2(a * 9))):
    formula(f"a, b, x: return D.{name}({lua.replace('a', 'a:detach()').replace('b', 'b:detach()')}):cdf(x * 3) + (a + b) * 0",
            lambda a, b, x, make=make: [make(a.detach(), b.detach()).cdf(x * 3) + (a + b) * 0], prob(3), prob(3), prob(2, 3))

# Matrices.
POSITIVE = "kiln.matmul(m, m:transpose(-2, -1)) + kiln.eye(3):double()"
for batch in ((), (2,)):
    for name, lua, py in (("covariance_matrix", POSITIVE, lambda m: m @ m.mT + torch.eye(3)), ("precision_matrix", POSITIVE, lambda m: m @ m.mT + torch.eye(3)),
                          ("scale_tril", "m:tril(-1) + kiln.eye(3):double() * 1.5", lambda m: m.tril(-1) + torch.eye(3) * 1.5)):
        formula(f"a, m, x: local d = D.Wishart(a + 4.5, {{ {name} = {lua} }}) local y = {POSITIVE.replace('m,', 'x,').replace('(m', '(x').replace(' m:', ' x:')} "
                "return d:log_prob(y), d:entropy(), d.mean, d.variance, d.mode",
                lambda a, m, x, name=name, py=py: all_of(lambda a, m: D.Wishart(a + 4.5, **{name: py(m)}), "entropy", "mean", "variance", "mode")(
                    a, m, x @ x.mT + torch.eye(3)), prob(*(batch or (1,))), batch + (3, 3), (2,) + batch + (3, 3), )
for n, size in ((2, 1), (3, 3), (4, 6)):
    formula(f"a, x: return D.LKJCholesky({n}, a + 0.7):log_prob(D.transforms.CorrCholeskyTransform()(x))",
            lambda a, x, n=n: [D.LKJCholesky(n, a + 0.7).log_prob(D.transforms.CorrCholeskyTransform()(x))], prob(2), (3, 2, size))
for at in ("c - 1", "c - c", "c * 0.4"):
    formula(f"a, b, c, x: local d = D.GeneralizedPareto(a, b, {at}) local y = a + b * x return d:log_prob(y), d:entropy(), d.mean, d.variance, d:cdf(y), d:icdf(x)",
            lambda a, b, c, x, at=at: (lambda d, y: [d.log_prob(y), d.entropy(), d.mean, d.variance, d.cdf(y), d.icdf(x)])(
                D.GeneralizedPareto(a, b, eval(at)), a + b * x), (3,), prob(3), prob(3), prob(2, 3))

# Made of others.
formula("a, b, x: local d = D.Independent(D.Normal(a, b), 1) return d:log_prob(x), d:entropy(), d.mean, d.variance",
        all_of(lambda a, b: D.Independent(D.Normal(a, b), 1), "entropy", "mean", "variance"), (2, 3), prob(2, 3), (4, 2, 3))
T = D.transforms
CHAINS = (("T.ExpTransform()", [T.ExpTransform()], "x:exp()", torch.exp),
          ("{ T.AffineTransform(0.3, -1.7), T.SigmoidTransform() }", [T.AffineTransform(0.3, -1.7), T.SigmoidTransform()], "x:sigmoid()", torch.sigmoid),
          ("{ T.TanhTransform() }", [T.TanhTransform()], "x:tanh()", torch.tanh),
          ("{ T.SoftplusTransform(), T.PowerTransform(1.7) }", [T.SoftplusTransform(), T.PowerTransform(torch.tensor(1.7))], "x:exp()", torch.exp),
          ("{ T.AffineTransform(1, 2).inv, T.ExpTransform() }", [T.AffineTransform(1, 2).inv, T.ExpTransform()], "x:exp()", torch.exp))
for lua, parts, at, fn in CHAINS:
    formula(f"a, b, x, p: local T = D.transforms local d = D.TransformedDistribution(D.Normal(a, b), {lua}) local y = {at} return d:log_prob(y), d:cdf(y), d:icdf(p)",
            lambda a, b, x, p, parts=parts, fn=fn: (lambda d: [d.log_prob(fn(x)), d.cdf(fn(x)), d.icdf(p)])(D.TransformedDistribution(D.Normal(a, b), parts)),
            (3,), prob(3), (2, 3), prob(3))
formula("a, b, x: local T = D.transforms local d = D.TransformedDistribution(D.Normal(a, b), { T.AffineTransform(0.1, 1.3), T.StickBreakingTransform() }) "
        "local y = kiln.cat({ x, x:narrow(-1, 1, 1) * 0 }, -1):softmax(-1) return d:log_prob(y)",
        lambda a, b, x: [D.TransformedDistribution(D.Normal(a, b), [T.AffineTransform(0.1, 1.3), T.StickBreakingTransform()])
                         .log_prob(torch.cat([x, x[..., :1] * 0], -1).softmax(-1))], (2, 3), prob(2, 3), (4, 2, 3))
for lua, t in (("ExpTransform()", T.ExpTransform()), ("SigmoidTransform()", T.SigmoidTransform()), ("TanhTransform()", T.TanhTransform()),
               ("SoftplusTransform()", T.SoftplusTransform()), ("AffineTransform(1, -2, 1)", T.AffineTransform(1, -2, 1)),
               ("StickBreakingTransform()", T.StickBreakingTransform()), ("PowerTransform(0.5)", T.PowerTransform(torch.tensor(0.5))),
               ("SigmoidTransform().inv", T.SigmoidTransform().inv), ("AbsTransform()", None), ("SoftmaxTransform()", None),
               ("ComposeTransform { D.transforms.ExpTransform(), D.transforms.AffineTransform(0, 3, 1) }", T.ComposeTransform([T.ExpTransform(), T.AffineTransform(0, 3, 1)])),
               ("IndependentTransform(D.transforms.ExpTransform(), 2)", T.IndependentTransform(T.ExpTransform(), 2)),
               ("CorrCholeskyTransform()", T.CorrCholeskyTransform()), ("ReshapeTransform({ 3, 3 }, { 9 })", T.ReshapeTransform((3, 3), (9,))),
               ("CatTransform({ D.transforms.ExpTransform(), D.transforms.SigmoidTransform() }, 2, { 1, 2 })", T.CatTransform([T.ExpTransform(), T.SigmoidTransform()], 1, [1, 2])),
               ("CatTransform({ D.transforms.ExpTransform(), D.transforms.IndependentTransform(D.transforms.TanhTransform(), 1) }, -1, { 2, 1 })",
                T.CatTransform([T.ExpTransform(), T.IndependentTransform(T.TanhTransform(), 1)], -1, [2, 1])),
               ("StackTransform({ D.transforms.ExpTransform(), D.transforms.TanhTransform(), D.transforms.AffineTransform(1, 2) }, 2)",
                T.StackTransform([T.ExpTransform(), T.TanhTransform(), T.AffineTransform(1, 2)], 1)),
               ("CumulativeDistributionTransform(D.Normal(kiln.tensor(0.5):double(), 2))", T.CumulativeDistributionTransform(D.Normal(torch.tensor(0.5), torch.tensor(2.0))))):
    if t is None:
        t = getattr(T, lua[:-2])()
        formula(f"x: local t = D.transforms.{lua} return t(x), t.inv(t(x))", lambda x, t=t: [t(x), t.inv(t(x))], prob(2, 3, 3))
    else:
        formula(f"x: local t = D.transforms.{lua} local y = t(x) return y, t.inv(y), t:log_abs_det_jacobian(x, y), t.inv:log_abs_det_jacobian(y, x)",
                lambda x, t=t: (lambda y: [y, t.inv(y), t.log_abs_det_jacobian(x, y), t.inv.log_abs_det_jacobian(y, x)])(t(x)), prob(2, 3, 3))
for name in ("LowerCholeskyTransform", "PositiveDefiniteTransform"):
    formula(f"x: local t = D.transforms.{name}() local y = t(x) return y, t.inv(y)",
            lambda x, t=getattr(T, name)(): [t(x), t.inv(t(x))], (2, 3, 3))
for lua, event in (("D.Normal(a, b)", False), ("D.Independent(D.Normal(a, b), 1)", True)):
    def mixture(w, a, b, event=event):
        parts = D.Normal(a, b)
        return D.MixtureSameFamily(D.Categorical(w), D.Independent(parts, 1) if event else parts)
    if event:
        formula(f"w, a, b, x: local d = D.MixtureSameFamily(D.Categorical(w), {lua}) return d:log_prob(x), d.mean, d.variance",
                all_of(mixture, "mean", "variance"), prob(2, 4), (2, 4, 3), prob(2, 4, 3), (5, 2, 3))
    else:
        formula(f"w, a, b, x: local d = D.MixtureSameFamily(D.Categorical(w), {lua}) return d:log_prob(x), d.mean, d.variance, d:cdf(x)",
                all_of(mixture, "mean", "variance", cdf=True), prob(2, 4), (2, 4), prob(2, 4), (5, 2))
case("function(a, b, x) local d = D.Uniform(a, a + b) return d:log_prob(a + x * b), d:entropy(), d.mean, d.variance end",
     lambda a, b, x: (lambda d: [d.log_prob(a + x * b), d.entropy(), d.mean, d.variance])(D.Uniform(a, a + b)), (3,), prob(3), prob(3))
case("function(l) local d = D.Categorical { logits = l } return d:entropy(), d.probs end",
     lambda l: (lambda d: [d.entropy(), d.probs])(D.Categorical(logits=l)), (2, 4))
case("function(l, x) local d = D.Bernoulli { logits = l } return d:log_prob(x), d:entropy(), d.probs end",
     lambda l, x: (lambda d: [d.log_prob(x), d.entropy(), d.probs])(D.Bernoulli(logits=l)), (2, 4), prob(2, 4))
case("function(p) local d = D.Multinomial(5, p) return d:log_prob(kiln.tensor({ 1, 0, 3, 1 }, { dtype = kiln.float64 })), d.mean, d.variance end",
     lambda p: (lambda d: [d.log_prob(torch.tensor([1.0, 0, 3, 1])), d.mean, d.variance])(D.Multinomial(5, p)), prob(4))


def divergence(name, *shapes):
    half = len(shapes) // 2
    names = "abcd"[: len(shapes)]
    head = "function(%s) return D.kl_divergence(D.%s(%s), D.%s(%s)) end" % (
        ", ".join(names), name, ", ".join(names[:half]), name, ", ".join(names[half:]))
    cls = getattr(D, name)
    case(head, lambda *xs: D.kl_divergence(cls(*xs[:half]), cls(*xs[half:])), *shapes)


for name in ("Normal", "LogNormal", "Laplace"):
    divergence(name, (3,), prob(3), (3,), prob(3))
for name in ("Gamma", "Beta"):
    divergence(name, prob(3), prob(3), prob(3), prob(3))
for name in ("Exponential", "Chi2", "Bernoulli", "Geometric", "Poisson"):
    divergence(name, prob(3), prob(3))
for name in ("Dirichlet", "Categorical", "OneHotCategorical"):
    divergence(name, prob(2, 4), prob(2, 4))
for name in ("Gumbel", "HalfNormal", "HalfCauchy", "ContinuousBernoulli"):
    divergence(name, *(((3,), prob(3), (3,), prob(3)) if name == "Gumbel" else (prob(3), prob(3))))
for name in ("InverseGamma", "LogisticNormal"):
    divergence(name, *((prob(3), prob(3)) * 2 if name == "InverseGamma" else ((2, 3), prob(2, 3)) * 2))
formula("a, b, c, d: return D.kl_divergence(D.Cauchy(a, b), D.Cauchy(c, d))", lambda a, b, c, d: [D.kl_divergence(D.Cauchy(a, b), D.Cauchy(c, d))],
        (3,), prob(3), (3,), prob(3))
formula("a, b: return D.kl_divergence(D.Binomial(5, a), D.Binomial(5, b))", lambda a, b: [D.kl_divergence(D.Binomial(5, a), D.Binomial(5, b))], prob(3), prob(3))
formula("a, m, b, n: local function w(df, l) return D.Wishart(df + 3.5, { scale_tril = l:tril(-1) + kiln.eye(3):double() * 1.5 }) end return D.kl_divergence(w(a, m), w(b, n)):detach()",
        lambda a, m, b, n: (lambda w: [D.kl_divergence(w(a, m), w(b, n)).detach()])(lambda df, l: D.Wishart(df + 3.5, scale_tril=l.tril(-1) + torch.eye(3) * 1.5)),
        prob(1), (1, 3, 3), prob(1), (1, 3, 3))  # PyTorch adds up over a batch, and detaches
formula("a, b: return D.kl_divergence(D.Chi2(a), D.Gamma(b, a))", lambda a, b: [D.kl_divergence(D.Chi2(a), D.Gamma(b, a))], prob(3), prob(3))
formula("a, b, c, d: return D.kl_divergence(D.Independent(D.Normal(a, b), 1), D.Independent(D.Normal(c, d), 1))",
        lambda a, b, c, d: [D.kl_divergence(D.Independent(D.Normal(a, b), 1), D.Independent(D.Normal(c, d), 1))], (2, 3), prob(2, 3), (2, 3), prob(2, 3))
formula("a, b, c, d: local t = D.transforms.ExpTransform() return D.kl_divergence(D.TransformedDistribution(D.Normal(a, b), t), D.TransformedDistribution(D.Normal(c, d), t))",
        lambda a, b, c, d: [D.kl_divergence(D.Normal(a, b), D.Normal(c, d))], (3,), prob(3), (3,), prob(3))
# Of two kinds: how each is made of two numbers in (0, 1), such that nothing is outside of the other.
KINDS = dict(Bernoulli="a", Poisson="a", Beta="a, b", ContinuousBernoulli="a", Exponential="a", Gamma="a, b", Gumbel="a, b", Laplace="a, b",
             Normal="a, b", Pareto="a, b + 2.5", Uniform="a * 0.5, a * 0.5 + b * 0.5")
for first, seconds in (
        ("Bernoulli", "Poisson"), ("Beta", "ContinuousBernoulli Exponential Gamma Normal Uniform"),
        ("ContinuousBernoulli", "Exponential Normal Uniform"), ("Exponential", "Gamma Gumbel Normal"), ("Gamma", "Exponential Gumbel Normal"),
        ("Gumbel", "Normal"), ("Laplace", "Normal"), ("Normal", "Gumbel Laplace"), ("Pareto", "Exponential Gamma Normal"),
        ("Uniform", "Beta ContinuousBernoulli Exponential Gamma Gumbel Normal Pareto")):
    for second in seconds.split():
        q = KINDS[second].replace("a", "c").replace("b", "d")
        wide = second == "Uniform"
        if wide:
            q = "c - 1, d + 1"
        if (first, second) == ("Uniform", "Pareto"):
            q = "c * 0.05, d + 1"
        at = dict(zip("abcd", range(4)))
        make = [eval(f"lambda a, b: (D.{first}({KINDS[first]}))"), eval(f"lambda c, d: (D.{second}({q}))")]
        formula(f"a, b, c, d: return D.kl_divergence(D.{first}({KINDS[first]}), D.{second}({q})) + (a + b + c + d) * 0",
                lambda a, b, c, d, make=make: [D.kl_divergence(make[0](a, b), make[1](c, d)) + (a + b + c + d) * 0], *([prob(4)] * 4))
case("function(a, b) return D.kl_divergence(D.Uniform(a, a + b), D.Uniform(a - 1, a + b + 1)) end",
     lambda a, b: D.kl_divergence(D.Uniform(a, a + b), D.Uniform(a - 1, a + b + 1)), (3,), prob(3))
case("function(a, b, p) local d = D.Normal(a, b) return d:cdf(p), d:icdf(p) end",
     lambda a, b, p: (lambda d: [d.cdf(p), d.icdf(p)])(D.Normal(a, b)), (3,), prob(3), prob(3))
case("function(a, b, p) local d = D.Laplace(a, b) return d:cdf(p), d:icdf(p) end",
     lambda a, b, p: (lambda d: [d.cdf(p), d.icdf(p)])(D.Laplace(a, b)), (3,), prob(3), prob(3))
