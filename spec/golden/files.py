#!/usr/bin/env python3
"""Writes spec/golden/files/: files of PyTorch, NumPy and safetensors for the specs to read.

    python3 spec/golden/files.py           (PyTorch, numpy and safetensors; writes the files)
    python3 spec/golden/files.py --check   (reads kiln's own files there with the same libraries)

The tensors of most files are 0 1 2 3 4 5 as [2, 3], in one dtype or another.  Torch7 does not run any
more: its files come from the small writer at the end.  kiln's own files are written by
spec/golden/files.lua.
"""

import collections
import io
import pathlib
import pickle
import struct
import sys
import zipfile

import numpy as np
import safetensors
import safetensors.numpy
import safetensors.torch
import torch

OUT = pathlib.Path(__file__).resolve().parent / "files"
DTYPES = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"]
torch.manual_seed(0)


def path(name):
    return str(OUT / name)


def six(dtype="float32"):
    x = torch.arange(6).reshape(2, 3)
    return (x % 2 == 1) if dtype == "bool" else x.to(getattr(torch, dtype))


# -- PyTorch -----------------------------------------------------------------------------------------


def shared():
    base = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    return {"base": base, "row": base[1], "t": base.t(), "column": base[:, 2], "same": base,
            "one": torch.ones(1).expand(1000, 1000), "none": torch.zeros(0, 3), "scalar": torch.tensor(7)}


def values():
    return {"int": 5, "negative": -300, "big": 2**53 + 1, "least": -2**63, "float": 0.1, "inf": float("inf"),
            "nan": float("nan"), "text": "grüße\n", "bytes": b"\x00\xff\x80", "no_bytes": b"", "yes": True, "no": False,
            "none": None, "list": [1, [2, [3]], None, "end"], "tuple": (1, (2.5, "x"), None, 4),
            "size": torch.Size([2, 3]), "dtype": torch.float16, "device": torch.device("cuda", 0),
            "numbers": {0: "zero", 1: "one", -7: "minus", 1.5: "half"}, "empty": [{}, [], ()],
            "ordered": collections.OrderedDict([("a", 1), ("b", 2)])}


def trained():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    net(torch.ones(5, 3)).sum().backward()
    optimizer.step()
    net.eval()
    with torch.no_grad():
        out = net(torch.ones(1, 3))
    return {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "out": out}


class Module(torch.nn.Module):
    def forward(self, x):
        return x + 1


def both(name, value):
    torch.save(value, path(name + ".pt"))
    torch.save(value, path(name + "_legacy.pt"), _use_new_zipfile_serialization=False)


def pytorch():
    both("dtypes", {name: six(name) for name in DTYPES})
    both("shared", shared())
    both("values", values())
    both("trained", trained())
    both("tensor", six())
    both("storage", {"typed": six().storage(), "tensor": six()})
    parameter = torch.nn.Parameter(six())
    both("grad", {"parameter": parameter, "leaf": six("float64").requires_grad_(), "plain": six()})
    attributes = {"tensor": six(), "parameter": torch.nn.Parameter(six())}
    for x in attributes.values():
        x.note = {"said": "by somebody", "of": [six()]}
    both("attributes", attributes)
    for protocol in (0, 1, 3, 4, 5):
        tensors = {"shared": shared()} if protocol > 0 else {}  # PyTorch cannot read tensors of protocol 0 again
        torch.save(values() | tensors, path(f"values_{protocol}.pt"), pickle_protocol=protocol)
        torch.save({"values": values()} | tensors, path(f"values_{protocol}_legacy.pt"),
                   pickle_protocol=protocol, _use_new_zipfile_serialization=False)
    torch.save(six(), path("tensor_0.pt"), pickle_protocol=0)
    # An archive that another program compressed.
    with zipfile.ZipFile(path("dtypes.pt")) as source, \
            zipfile.ZipFile(path("deflated.pt"), "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(zipfile.ZipInfo(name), source.read(name), zipfile.ZIP_DEFLATED)
    torch.serialization.set_crc32_options(False)
    torch.save(six(), path("no_crc.pt"))
    torch.serialization.set_crc32_options(True)
    both("sparse", six().to_sparse())
    both("sparse_csr", six().to_sparse_csr())
    both("unsigned", {name: six().to(getattr(torch, name)) for name in ("uint16", "uint32", "uint64")} | {
        "most16": torch.tensor([-1, 0], dtype=torch.int16).view(torch.uint16),
        "most32": torch.tensor([-1], dtype=torch.int32).view(torch.uint32),
        "column": six().to(torch.uint16)[:, 1]})
    # What is refused.
    both("sparse_bsr", six().to_sparse_bsr((1, 1)))
    both("complex", six().to(torch.complex64))
    both("too_wide", torch.tensor([-1]).view(torch.uint64))
    both("wide_dtype", {"dtype": torch.uint16})
    both("set", {1, 2})
    both("numpy", np.float64(1.5))
    torch.save(torch.nn.Linear(2, 2), path("module.pt"))  # the older form would hold PyTorch's source
    both("conjugate", torch.ones(2, dtype=torch.complex64).conj())
    script()
    evil()


def script():
    """A TorchScript archive, without the entries that say where its source was."""
    whole = io.BytesIO()
    torch.jit.save(torch.jit.script(Module()), whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path("script.pt"), "w") as target:
        for name in source.namelist():
            if not name.endswith(".debug_pkl"):
                target.writestr(zipfile.ZipInfo(name), source.read(name))


def evil():
    """A pickle that would run a command."""
    with zipfile.ZipFile(path("evil.pt"), "w") as archive:
        archive.writestr(zipfile.ZipInfo("evil/data.pkl"), b"\x80\x02cposix\nsystem\nX\x0d\x00\x00\x00touch "
                         b"kiln-rce\x85R.")
        archive.writestr(zipfile.ZipInfo("evil/version"), b"3\n")


# -- NumPy and safetensors ---------------------------------------------------------------------------


def numpy():
    x = np.arange(6).reshape(2, 3)
    arrays = {name: (x % 2 == 1) if name == "bool" else x.astype(name) for name in DTYPES
              if name != "bfloat16"}
    np.savez(path("dtypes.npz"), **arrays)
    np.savez_compressed(path("compressed.npz"), zeros=np.zeros((300, 400), np.float32), **arrays)
    np.save(path("plain.npy"), x.astype("<f4"))
    np.save(path("fortran.npy"), np.asfortranarray(x.astype("<i2")))
    np.save(path("big_endian.npy"), x.astype(">f8"))
    np.save(path("scalar.npy"), np.float32(2.5))
    np.save(path("empty.npy"), np.zeros((0, 3), np.int64))
    np.lib.format.write_array(open(path("version2.npy"), "wb"), x.astype("<i4"), version=(2, 0))
    np.lib.format.write_array(open(path("version3.npy"), "wb"), x.astype("<i4"), version=(3, 0))
    for name, array in {"object": np.array([{}], object), "text": np.array(["ab"]), "complex": x.astype("c8"),
                        "record": np.zeros(2, [("a", "f4")]), "uint64": np.array([2**64 - 1], "u8")}.items():
        np.save(path(f"refused_{name}.npy"), array)
    unsigned = {"uint16": "u2", "uint32": "u4", "uint64": "u8"}
    np.savez(path("unsigned.npz"), most16=np.array([65535, 0], "u2"), most32=np.array([2**32 - 1], "u4"),
             **{name: x.astype("<" + code) for name, code in unsigned.items()},
             **{name + "_big_endian": x.astype(">" + code) for name, code in unsigned.items()})


def safe():
    safetensors.torch.save_file({name: six(name) for name in DTYPES} | {"none": torch.zeros(0, 3)},
                                path("dtypes.safetensors"), metadata={"format": "pt", "grüße": "\"hi\"\n"})
    safetensors.numpy.save_file({"x": np.arange(3, dtype=np.uint16)}, path("uint16.safetensors"))
    safetensors.torch.save_file({"x": torch.ones(2).to(torch.float8_e4m3fn)}, path("float8.safetensors"))


# -- Torch7 ------------------------------------------------------------------------------------------


class Torch7:
    """Writes Lua values as torch.save of Torch7 does: form is binary or ascii, long has 8 or 4 bytes."""

    def __init__(self, form, long=8):
        self.form, self.width, self.out, self.count = form, long, io.BytesIO(), 0
        self.seen, self.alive = {}, []  # ids are those of objects that live

    def numbers(self, code, values):
        if self.form == "binary":
            self.out.write(struct.pack(f"<{len(values)}{code}", *values))
        else:
            show = {"f": "%.9g", "d": "%.17g"}.get(code, "%d")
            self.out.write(" ".join(show % v for v in values).encode() + (b"\n" if values else b""))

    def int(self, v):
        self.numbers("i", [v])

    def long(self, *values):
        self.numbers("q" if self.width == 8 else "i", values)

    def chars(self, data):
        self.int(len(data))
        self.out.write(data + (b"\n" if self.form == "ascii" and data else b""))

    def index(self, key):
        """Writes the number of an object; true when it stands in the file already."""
        known = key in self.seen
        if not known:
            self.count += 1
            self.seen[key] = self.count
        self.int(self.seen[key])
        return known

    def header(self, key, name):
        self.int(4)
        if self.index(key):
            return False
        self.chars(b"V 1")
        self.chars(name.encode())
        return True

    def value(self, v):
        self.alive.append(v)
        if v is None:
            self.int(0)
        elif isinstance(v, bool):
            self.int(5)
            self.int(int(v))
        elif isinstance(v, (int, float)):
            self.int(1)
            self.numbers("d", [v])
        elif isinstance(v, str):
            self.int(2)
            self.chars(v.encode())
        elif isinstance(v, torch.Tensor):
            self.tensor(v)
        elif isinstance(v, Function):
            self.function(v)
        elif isinstance(v, Object):
            if self.header(id(v), v.name):
                self.value(v.fields)
        else:
            self.table(v)

    def table(self, v):
        self.int(3)
        if self.index(id(v)):
            return
        items = list(v.items()) if isinstance(v, dict) else list(enumerate(v, 1))
        self.int(len(items))
        for key, item in items:
            self.value(key)
            self.value(item)

    NAMES = {torch.float64: "Double", torch.float32: "Float", torch.int64: "Long", torch.int32: "Int",
             torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte"}

    def tensor(self, x):
        name = self.NAMES[x.dtype]
        if not self.header(id(x), f"torch.{name}Tensor"):
            return
        empty = x.numel() == 0
        self.int(0 if empty else x.dim())
        if not empty:
            self.long(*x.size())
            self.long(*x.stride())
        self.long(x.storage_offset() + 1)
        if empty:
            self.int(0)
            return
        memory = x.untyped_storage()
        if not self.header(("storage", memory.data_ptr()), f"torch.{name}Storage"):
            return
        elements = torch.tensor([], dtype=x.dtype).set_(memory).tolist()
        self.long(len(elements))
        if name == "Long":
            self.long(*elements)
        elif name in ("Byte", "Char"):
            self.out.write(bytes(e % 256 for e in elements) + (b"\n" if self.form == "ascii" else b""))
        else:
            self.numbers({"Double": "d", "Float": "f", "Int": "i", "Short": "h"}[name], elements)

    def function(self, v):
        self.int(8)
        if self.index(id(v)):
            return
        self.chars(b"\x1bLJ\x01 this is no code")
        self.value({1: {"name": "x", "value": v.upvalue}})


class Function:
    def __init__(self, upvalue):
        self.upvalue = upvalue


class Object:
    def __init__(self, name, fields):
        self.name, self.fields = name, fields


def torch7_value():
    base = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    again = {"deep": [1, 2, {"x": "y"}]}
    again["self"] = again
    fn = Function(base)
    linear = Object("nn.Linear", {"weight": torch.arange(6, dtype=torch.float64).reshape(2, 3),
                                  "bias": torch.tensor([0.5, -0.5], dtype=torch.float64), "train": True})
    value = {"base": base, "row": base[1], "column": base[:, 2], "same": base, "number": 0.1,
             "text": "two words\nand a line", "nothing": "", "yes": True, "no": False, "list": [10, 20, 30],
             "again": again, "twice": again, "net": Object("nn.Sequential", {"modules": [linear]}),
             "fn": fn, "fn_again": fn, "after": "the function", "none": torch.zeros(0), 7: "seven"}
    for dtype in ("float64", "int64", "int32", "int16", "int8", "uint8"):
        value[dtype] = six(dtype) - (3 if dtype.startswith("int") else 0)
    return value


def torch7():
    value = torch7_value()
    for name, form, long in (("binary64", "binary", 8), ("binary32", "binary", 4), ("ascii", "ascii", 8)):
        writer = Torch7(form, long)
        writer.value(value)
        (OUT / (name + ".t7")).write_bytes(writer.out.getvalue())
    writer = Torch7("binary")
    writer.header("hash", "tds.Hash")
    writer.long(3)
    (OUT / "refused_tds.t7").write_bytes(writer.out.getvalue())


# -- kiln's own ----------------------------------------------------------------------------------------


def check():
    """Reads what kiln wrote, with the libraries whose formats they are."""
    tensors = safetensors.torch.load_file(path("ours.safetensors"))
    for name in DTYPES:
        assert torch.equal(tensors["dtypes." + name], six(name)), name
        assert tensors["dtypes." + name].dtype == six(name).dtype, name
    assert torch.equal(tensors["again"], torch.arange(12.0).reshape(3, 4))
    assert tensors["none"].shape == (0, 3)
    with safetensors.safe_open(path("ours.safetensors"), "pt") as f:
        assert "kiln" in f.metadata()
    plain = safetensors.torch.load_file(path("ours_plain.safetensors"))
    assert list(plain) == ["x"] and torch.equal(plain["x"], six())
    assert np.array_equal(np.load(path("ours.npy")), np.arange(6, dtype=np.float32).reshape(2, 3))
    arrays = np.load(path("ours.npz"))
    for name in DTYPES:
        if name != "bfloat16":
            assert np.array_equal(arrays[name], six(name).numpy()) and arrays[name].dtype == name, name
    assert zipfile.ZipFile(path("ours.npz")).testzip() is None
    print("kiln's files are read by safetensors and numpy")


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    if "--check" in sys.argv:
        check()
    else:
        pytorch()
        numpy()
        safe()
        torch7()
