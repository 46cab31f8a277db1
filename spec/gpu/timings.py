"""The cases of timings.lua in PyTorch, printed the same way."""
import statistics
import sys

import torch

BATCHES, SECONDS = 15, 0.05
N = int(sys.argv[1]) if len(sys.argv) > 1 else 4096


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


a, b = device(N, N), device(N, N)
time(f"add {N}x{N}", lambda: a + b)
time(f"exp {N}x{N}", lambda: a.exp())
time(f"sum {N}x{N} dim 2", lambda: a.sum(1))
time(f"softmax {N}x{N}", lambda: a.softmax(1))
time(f"transpose {N}x{N}", lambda: a.t().contiguous())
time(f"matmul {N} float32", lambda: a.matmul(b))
h, k = a.half(), b.half()
time(f"matmul {N} float16", lambda: h.matmul(k))
small = device(64, 64)
time("add 64x64", lambda: small + small)
images = device(N // 64, 64, 56, 56)
conv = torch.nn.Conv2d(64, 64, 3, padding=1).cuda()
with torch.no_grad():
    time(f"conv {N // 64}x64x56x56 3x3", lambda: conv(images))

net = torch.nn.Sequential(
    torch.nn.Linear(784, N // 4),
    torch.nn.ReLU(),
    torch.nn.Linear(N // 4, N // 4),
    torch.nn.ReLU(),
    torch.nn.Linear(N // 4, 10),
).cuda()
optimizer, loss_of = torch.optim.Adam(net.parameters(), lr=1e-3), torch.nn.CrossEntropyLoss()
x, target = device(N // 16, 784), torch.randint(0, 10, (N // 16,), device="cuda")


def step():
    optimizer.zero_grad()
    loss_of(net(x), target).backward()
    optimizer.step()


time(f"MLP step, batch {N // 16}", step)
