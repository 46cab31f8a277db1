"""What PyTorch's optimizers, schedulers and small models do over many steps, for nn.py."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from nn_formulas import fill_parameters, lua_print, ramp

# -- Optimizers: 50 steps on sum(w (x - t)^4) of two parameters ------------------------------------------------

optimizers = []


def optimize(lua, make, steps=50):
    xs = [torch.sin(ramp(6, 1.7, 0)).view(2, 3).requires_grad_(), torch.sin(ramp(4, 1.7, 0.3)).requires_grad_()]

    def loss_of():
        return sum((torch.cos(ramp(x.numel(), 1.3, 2)).abs().view(x.shape) * (x - 0.5 * k) ** 4).sum() + (x * x).sum() * 0.1 for k, x in enumerate(xs))
    optimizer = make(xs)

    def closure():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        return loss
    for _ in range(steps):
        optimizer.step(closure)
    optimizers.append("  { lua = [==[%s]==], steps = %d, final = { %s } }," % (lua, steps, ", ".join(lua_print(x) for x in xs)))


O = torch.optim
for lua, kw in (("lr = 0.05", dict(lr=0.05)), ("lr = 0.05, momentum = 0.9", dict(lr=0.05, momentum=0.9)),
                ("lr = 0.02, momentum = 0.9, dampening = 0.3, weight_decay = 0.1", dict(lr=0.02, momentum=0.9, dampening=0.3, weight_decay=0.1)),
                ("lr = 0.02, momentum = 0.9, nesterov = true", dict(lr=0.02, momentum=0.9, nesterov=True)),
                ("lr = 0.001, maximize = true", dict(lr=0.001, maximize=True))):
    optimize(f"SGD:{lua}", lambda xs, kw=kw: O.SGD(xs, **kw))
for name in ("Adam", "AdamW", "NAdam", "RAdam", "Adamax"):
    for lua, kw in (("lr = 0.02", dict(lr=0.02)), ("lr = 0.02, weight_decay = 0.1", dict(lr=0.02, weight_decay=0.1)),
                    ("lr = 0.01, betas = { 0.8, 0.95 }, eps = 1e-6", dict(lr=0.01, betas=(0.8, 0.95), eps=1e-6))):
        optimize(f"{name}:{lua}", lambda xs, kw=kw, c=getattr(O, name): c(xs, **kw))
for lua, kw in (("lr = 0.05", dict(lr=0.05)), ("lr = 0.1, beta2_decay = -0.5, weight_decay = 0.1, d = 2", dict(lr=0.1, beta2_decay=-0.5, weight_decay=0.1, d=2)),
                ("lr = 0.05, eps = { 1e-10, 0.01 }, maximize = true", dict(lr=0.05, eps=(1e-10, 0.01), maximize=True))):
    optimize(f"Adafactor:{lua}", lambda xs, kw=kw: O.Adafactor(xs, **kw))
optimize("Adam:lr = 0.02, weight_decay = 0.1, decoupled_weight_decay = true", lambda xs: O.Adam(xs, lr=0.02, weight_decay=0.1, decoupled_weight_decay=True))
for name in ("Adam", "AdamW"):
    optimize(f"{name}:lr = 0.02, amsgrad = true", lambda xs, c=getattr(O, name): c(xs, lr=0.02, amsgrad=True))
for name in ("NAdam", "RAdam"):
    optimize(f"{name}:lr = 0.02, weight_decay = 0.1, decoupled_weight_decay = true",
             lambda xs, c=getattr(O, name): c(xs, lr=0.02, weight_decay=0.1, decoupled_weight_decay=True))
for lua, kw in (("", {}), ("lr = 0.1, lr_decay = 0.1, weight_decay = 0.1", dict(lr=0.1, lr_decay=0.1, weight_decay=0.1)),
                ("lr = 0.1, initial_accumulator_value = 0.5", dict(lr=0.1, initial_accumulator_value=0.5))):
    optimize(f"Adagrad:{lua}", lambda xs, kw=kw: O.Adagrad(xs, **kw))
for lua, kw in (("", {}), ("rho = 0.8, eps = 1e-4", dict(rho=0.8, eps=1e-4)), ("lr = 0.5, weight_decay = 0.1", dict(lr=0.5, weight_decay=0.1))):
    optimize(f"Adadelta:{lua}", lambda xs, kw=kw: O.Adadelta(xs, **kw))
for lua, kw in (("", {}), ("momentum = 0.5, weight_decay = 0.1", dict(momentum=0.5, weight_decay=0.1)), ("centered = true", dict(centered=True)),
                ("alpha = 0.9, centered = true, momentum = 0.5", dict(alpha=0.9, centered=True, momentum=0.5))):
    optimize(f"RMSprop:{lua}", lambda xs, kw=kw: O.RMSprop(xs, **kw))
for lua, kw in (("", {}), ("lr = 0.1", dict(lr=0.1)), ("etas = { 0.3, 1.5 }, step_sizes = { 1e-4, 0.5 }", dict(etas=(0.3, 1.5), step_sizes=(1e-4, 0.5)))):
    optimize(f"Rprop:{lua}", lambda xs, kw=kw: O.Rprop(xs, **kw))
for lua, kw in (("", {}), ("lr = 0.05, lambd = 0.01, alpha = 0.5, t0 = 10", dict(lr=0.05, lambd=0.01, alpha=0.5, t0=10)),
                ("lr = 0.05, weight_decay = 0.1", dict(lr=0.05, weight_decay=0.1))):
    optimize(f"ASGD:{lua}", lambda xs, kw=kw: O.ASGD(xs, **kw))
for lua, kw in (("lr = 0.1", dict(lr=0.1)), ("line_search_fn = 'strong_wolfe'", dict(line_search_fn="strong_wolfe")),
                ("lr = 0.5, max_iter = 5, history_size = 3", dict(lr=0.5, max_iter=5, history_size=3))):
    optimize(f"LBFGS:{lua}", lambda xs, kw=kw: O.LBFGS(xs, **kw))

# -- Row-sparse gradients: 50 steps of a look-up table ------------------------------------------------------------

lookups = []


def look_up(lua_module, module, lua, make):
    module.to(torch.float64)
    fill_parameters(module)
    optimizer = make(module.parameters())
    for t in range(50):
        ids = ((torch.arange(6) * (t % 3 + 2) + t * t) % 7).view(2, 3)
        optimizer.zero_grad()
        y = module(ids)
        (torch.cos(ramp(y.numel(), 1.3, 2)).abs().view(y.shape) * (y - 0.3) ** 4).sum().backward()
        assert module.weight.grad.is_sparse
        optimizer.step()
    lookups.append("  { module = [==[%s]==], lua = [==[%s]==], final = %s }," % (lua_module, lua, lua_print(module.weight)))


for lua_module, build in (
        ("nn.Embedding(7, 3, { sparse = true })", lambda: nn.Embedding(7, 3, sparse=True)),
        ("nn.Embedding(7, 3, { sparse = true, padding_idx = 3 })", lambda: nn.Embedding(7, 3, sparse=True, padding_idx=2)),
        ("nn.EmbeddingBag(7, 3, { sparse = true })", lambda: nn.EmbeddingBag(7, 3, sparse=True)),
        ("nn.EmbeddingBag(7, 3, { sparse = true, mode = 'sum', padding_idx = 3 })",
         lambda: nn.EmbeddingBag(7, 3, sparse=True, mode="sum", padding_idx=2))):
    for name, lua, kw in (
            ("SGD", "lr = 0.05", dict(lr=0.05)), ("SGD", "lr = 0.01, momentum = 0.9", dict(lr=0.01, momentum=0.9)),
            ("SGD", "lr = 0.02, momentum = 0.9, nesterov = true", dict(lr=0.02, momentum=0.9, nesterov=True)),
            ("SGD", "lr = 0.001, maximize = true", dict(lr=0.001, maximize=True)),
            ("Adagrad", "", {}), ("Adagrad", "lr = 0.1, lr_decay = 0.1, initial_accumulator_value = 0.5",
                                  dict(lr=0.1, lr_decay=0.1, initial_accumulator_value=0.5)),
            ("SparseAdam", "", {}), ("SparseAdam", "lr = 0.02, betas = { 0.8, 0.95 }, eps = 1e-6",
                                     dict(lr=0.02, betas=(0.8, 0.95), eps=1e-6))):
        look_up(lua_module, build(), f"{name}:{lua}", lambda ps, kw=kw, c=getattr(O, name): c(ps, **kw))

# -- Training curves: 200 steps of three small models ----------------------------------------------------------------

curves = []


def curve(lua, module, shape, classes, lr):
    module.to(torch.float64)
    fill_parameters(module)
    n = math.prod(shape)
    x = torch.sin(ramp(n, 1.7, 0)).view(shape)
    target = (torch.arange(shape[0]) * 7) % classes
    optimizer = O.SGD(module.parameters(), lr=lr, momentum=0.9)
    losses = []
    for step in range(200):
        optimizer.zero_grad()
        loss = F.cross_entropy(module(x), target)
        loss.backward()
        optimizer.step()
        losses.append("%.15g" % loss.item())
    curves.append("  { lua = [==[%s]==], shape = { %s }, classes = %d, lr = %g,\n    losses = { %s } }," % (
        lua, ", ".join(map(str, shape)), classes, lr, ", ".join(losses)))


class LastStep(nn.Module):
    def __init__(self, inner, head):
        super().__init__()
        self.inner, self.head = inner, head

    def forward(self, x):
        return self.head(self.inner(x)[0][:, -1])


curve("nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))",
      nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)), (12, 6), 3, 0.05)
curve("nn.Sequential(nn.Conv2d(1, 4, 3, { padding = 1 }), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3))",
      nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)),
      (10, 1, 6, 6), 3, 0.02)
curve("last_step(nn.LSTM(4, 8, { batch_first = true }), nn.Linear(8, 3))",
      LastStep(nn.LSTM(4, 8, batch_first=True), nn.Linear(8, 3)), (9, 7, 4), 3, 0.1)

# -- Schedulers: the rate over 100 steps ---------------------------------------------------------------------------

schedulers = []
S = O.lr_scheduler


def schedule(lua, make, momentum=False, metric=None):
    p = torch.zeros(1, requires_grad=True)
    optimizer = O.SGD([p], lr=0.1, momentum=0.9)
    scheduler = make(optimizer)
    rates, moments = [], []
    for step in range(100):
        rates.append(optimizer.param_groups[0]["lr"])
        moments.append(optimizer.param_groups[0]["momentum"])
        optimizer.step()
        scheduler.step(*([] if metric is None else [metric(step)]))
    shown = ", ".join("%.12g" % r for r in rates)
    extra = ", momentum = { %s }" % ", ".join("%.12g" % m for m in moments) if momentum else ""
    schedulers.append("  { lua = [==[%s]==], rates = { %s }%s }," % (lua, shown, extra))


schedule("LambdaLR(o, function(e) return 0.95 ^ e end)", lambda o: S.LambdaLR(o, lambda e: 0.95 ** e))
schedule("MultiplicativeLR(o, function() return 0.98 end)", lambda o: S.MultiplicativeLR(o, lambda e: 0.98))
schedule("StepLR(o, 30)", lambda o: S.StepLR(o, 30))
schedule("StepLR(o, { step_size = 7, gamma = 0.5 })", lambda o: S.StepLR(o, 7, 0.5))
schedule("MultiStepLR(o, { 20, 50, 80 })", lambda o: S.MultiStepLR(o, [20, 50, 80]))
schedule("ExponentialLR(o, 0.97)", lambda o: S.ExponentialLR(o, 0.97))
schedule("ConstantLR(o)", lambda o: S.ConstantLR(o))
schedule("ConstantLR(o, 0.5, 40)", lambda o: S.ConstantLR(o, 0.5, 40))
schedule("LinearLR(o)", lambda o: S.LinearLR(o))
schedule("LinearLR(o, { start_factor = 0.1, end_factor = 0.7, total_iters = 60 })", lambda o: S.LinearLR(o, 0.1, 0.7, 60))
schedule("PolynomialLR(o, 60, 2)", lambda o: S.PolynomialLR(o, 60, 2))
schedule("CosineAnnealingLR(o, 100)", lambda o: S.CosineAnnealingLR(o, 100))
schedule("CosineAnnealingLR(o, { T_max = 30, eta_min = 0.01 })", lambda o: S.CosineAnnealingLR(o, 30, 0.01))
schedule("CosineAnnealingWarmRestarts(o, 10)", lambda o: S.CosineAnnealingWarmRestarts(o, 10))
schedule("CosineAnnealingWarmRestarts(o, { T_0 = 10, T_mult = 2, eta_min = 0.01 })", lambda o: S.CosineAnnealingWarmRestarts(o, 10, 2, 0.01))
schedule("CyclicLR(o, 0.01, 0.1, { step_size_up = 15 })", lambda o: S.CyclicLR(o, 0.01, 0.1, step_size_up=15), True)
schedule("CyclicLR(o, 0.01, 0.1, { step_size_up = 10, step_size_down = 20, mode = 'triangular2' })",
         lambda o: S.CyclicLR(o, 0.01, 0.1, step_size_up=10, step_size_down=20, mode="triangular2"), True)
schedule("CyclicLR(o, 0.01, 0.1, { step_size_up = 10, mode = 'exp_range', gamma = 0.99 })",
         lambda o: S.CyclicLR(o, 0.01, 0.1, step_size_up=10, mode="exp_range", gamma=0.99), True)
schedule("OneCycleLR(o, { max_lr = 0.1, total_steps = 101 })", lambda o: S.OneCycleLR(o, 0.1, total_steps=101), True)
schedule("OneCycleLR(o, { max_lr = 0.2, epochs = 10, steps_per_epoch = 11, anneal_strategy = 'linear', three_phase = true })",
         lambda o: S.OneCycleLR(o, 0.2, epochs=10, steps_per_epoch=11, anneal_strategy="linear", three_phase=True), True)
schedule("SequentialLR(o, { S.LinearLR(o, 0.1, 1, 10), S.CosineAnnealingLR(o, 90) }, { 10 })",
         lambda o: S.SequentialLR(o, [S.LinearLR(o, 0.1, 1, 10), S.CosineAnnealingLR(o, 90)], [10]))
schedule("ChainedScheduler { S.ConstantLR(o, 0.1, 20), S.ExponentialLR(o, 0.97) }",
         lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 20), S.ExponentialLR(o, 0.97)]))
for lua, kw in (("", {}), (", { factor = 0.5, patience = 3, cooldown = 2, min_lr = 0.004 }",
                           dict(factor=0.5, patience=3, cooldown=2, min_lr=0.004)),
                (", { mode = 'max', factor = 0.7, patience = 2, threshold = 0.05, threshold_mode = 'abs' }",
                 dict(mode="max", factor=0.7, patience=2, threshold=0.05, threshold_mode="abs"))):
    schedule("ReduceLROnPlateau(o%s)" % lua, lambda o, kw=kw: S.ReduceLROnPlateau(o, **kw),
             metric=lambda step: math.exp(-step / 20) + 0.1 * math.sin(step))
