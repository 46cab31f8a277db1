"""Runs cases in PyTorch or JAX: worker.py torch|jax wall|cpu.  The commands are those of worker.lua."""
import gc
import importlib
import sys
import time
import traceback

import numpy as np

library = sys.argv[1]
seconds = time.thread_time if sys.argv[2] == "cpu" else time.perf_counter
if library == "torch":
    import torch

    def array(x):
        return x.detach().to(torch.float64).contiguous().numpy()

    def threads(n):
        torch.set_num_threads(int(n))

    def wait(value):
        pass

else:
    import jax as torch

    def array(x):
        return np.asarray(x, dtype=np.float64)

    def threads(n):
        """XLA takes its threads from the CPUs that the process may use when it starts."""

    def wait(value):
        torch.block_until_ready(value)


run = results = None


def call_once(run):
    value = run()
    return value if isinstance(value, (tuple, list)) else [value]


def load(family, name, *sizes):
    global run, results
    run = results = None
    gc.collect()
    module = importlib.import_module(f"cases.{family}" + ("" if library == "torch" else "_jax"))
    case = getattr(module, name)(*(int(n) for n in sizes))
    run, results = case if isinstance(case, tuple) else (case, call_once)


def save(path):
    counts = []
    with open(path, "wb") as file:
        for x in results(run):
            x = array(x)
            counts.append(str(x.size))
            x.tofile(file)
    return " ".join(counts)


def timed(k):
    k = int(k)
    start = seconds()
    for _ in range(k):
        value = run()
    wait(value)
    return f"{(seconds() - start) * 1e9 / k:.1f}"


def peak(family, name, k, *sizes):
    load(family, name, *sizes)
    for _ in range(int(k)):
        value = run()
    wait(value)
    with open("/proc/self/status") as status:
        return next(line.split()[1] for line in status if line.startswith("VmHWM"))


commands = {"threads": threads, "load": load, "save": save, "time": timed, "peak": peak,
            "version": lambda: torch.__version__}
for line in sys.stdin:
    word, *rest = line.split()
    try:
        answer = commands[word](*rest)
        print("=", "" if answer is None else answer, flush=True)
    except Exception:
        print("!", traceback.format_exc().replace("\n", "  "), flush=True)
