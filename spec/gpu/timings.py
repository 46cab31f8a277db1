"""The cases of timings.lua in PyTorch, printed the same way."""
import statistics

import torch

BATCHES, SECONDS = 15, 0.05


def batch(f, n):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(n):
        f()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def time(name, f):
    batch(f, 3)
    n = max(1, int(SECONDS * 1000 / max(batch(f, 1), 0.01)))
    print(f"{name:<28} {statistics.median(batch(f, n) / n for _ in range(BATCHES)):10.4f}", flush=True)


def device(*shape):
    return torch.randn(*shape, device="cuda")


a, b = device(4096, 4096), device(4096, 4096)
time("add 4096x4096", lambda: a + b)
time("exp 4096x4096", lambda: a.exp())
time("sum 4096x4096 dim 2", lambda: a.sum(1))
time("softmax 4096x4096", lambda: a.softmax(1))
time("transpose 4096x4096", lambda: a.t().contiguous())
time("matmul 4096 float32", lambda: a.matmul(b))
h, k = a.half(), b.half()
time("matmul 4096 float16", lambda: h.matmul(k))
small = device(64, 64)
time("add 64x64", lambda: small + small)
images = device(64, 64, 56, 56)
conv = torch.nn.Conv2d(64, 64, 3, padding=1).cuda()
with torch.no_grad():
    time("conv 64x64x56x56 3x3", lambda: conv(images))

net = torch.nn.Sequential(
    torch.nn.Linear(784, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)
).cuda()
optimizer, loss_of = torch.optim.Adam(net.parameters(), lr=1e-3), torch.nn.CrossEntropyLoss()
x, target = device(256, 784), torch.randint(0, 10, (256,), device="cuda")


def step():
    optimizer.zero_grad()
    loss_of(net(x), target).backward()
    optimizer.step()


time("MLP step, batch 256", step)
