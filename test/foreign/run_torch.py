"""Programs that torch-mlir writes from PyTorch's, in anvl: `make foreign-torch`.

    python test/foreign/run_torch.py [words of names]

Each is lifted and lowered by `anvl-opt`, from text and from bytecode; its values, its pullback of
random cotangents and its batches are held against PyTorch's.  Status 1 if one is `FAILED`.
"""

import contextlib
import io
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import torch
from torch.utils._pytree import tree_leaves

sys.path.insert(0, str(Path(__file__).parent))
warnings.simplefilter("ignore")  # of torch and its exporter

from functions_torch import CASES, Case
from torch_mlir import fx

import anvl
from anvl.tools.opt.main import main as anvl_opt

_PIPELINE = ("--anvl-lift", "--anvl-control-flow", "--anvl-lower-to-stablehlo")
_RTOL = {torch.bfloat16: 3e-2, torch.float64: 1e-8}
_OF_ANY_SIZE = ("perceptron", "convolutional network", "transformer")
_LEAST = 1e-3  # below it, errors are absolute


class _Function(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *xs: Any) -> Any:
        return self.function(*xs)


class _Program:
    """A case, its module, and its function as torch and as anvl have it, on flat lists."""

    def __init__(self, case: Case) -> None:
        f = case.function
        self.case, self.torch = case, f if isinstance(f, torch.nn.Module) else _Function(f)
        self.module = fx.export_and_import(self.torch, *case.args, output_type="stablehlo")
        self.args = [_array(x) for x in case.args]
        self.values = self.theirs(case.args)
        self.smooth = [i for i, x in enumerate(case.args) if x.is_floating_point()]

    def theirs(self, xs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [y for y in tree_leaves(self.torch(*xs)) if isinstance(y, torch.Tensor)]

    def ours(self, program: str | bytes) -> Callable[..., list[Any]]:
        f = anvl.from_stablehlo(program)

        def listed(*xs: Any) -> list[Any]:
            found = f(*xs)
            return list(found) if isinstance(found, tuple) else [found]

        return listed

    @property
    def text(self) -> str:
        return str(self.module)

    @property
    def bytecode(self) -> bytes:
        written = io.BytesIO()
        self.module.operation.write_bytecode(written)
        return written.getvalue()


def _array(x: torch.Tensor) -> np.ndarray:
    x = x.detach()
    return x.float().numpy().astype(ml_dtypes.bfloat16) if x.dtype == torch.bfloat16 else x.numpy()


def _tensor(x: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.asarray(x, "float64")).to(like.dtype)


def _check_opt(p: _Program) -> None:
    for data in (p.text.encode(), p.bytecode):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.mlir"
            path.write_bytes(data)
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                status = anvl_opt([str(path), *_PIPELINE, "-o", f"{path}.out"])
            assert status == 0, f"anvl-opt exits with {status}: {said.getvalue()[:500]}"


def _check_value(p: _Program) -> None:
    for program in (p.text, p.bytecode):
        _compare(p, p.ours(program)(*p.args), p.values)


def _check_grad(p: _Program) -> None:
    """The pullback of random cotangents."""
    if p.case.is_random or not p.smooth:
        return
    xs = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in p.case.args]
    ys = p.theirs(xs)
    outs = [i for i, y in enumerate(ys) if y.requires_grad]
    f, rng = p.ours(p.text), np.random.default_rng(0)

    def part(*smooth: Any) -> list[Any]:
        new = dict(zip(p.smooth, smooth, strict=True))
        found = f(*[new.get(i, x) for i, x in enumerate(p.args)])
        return [found[i] for i in outs]

    gs = [rng.normal(size=ys[i].shape).astype(_array(ys[i]).dtype) for i in outs]
    if not gs:
        return
    found = anvl.vjp(part, *[p.args[i] for i in p.smooth])[1](gs)
    cotangents = [_tensor(g, ys[i]) for g, i in zip(gs, outs, strict=True)]
    wanted = torch.autograd.grad(
        [ys[i] for i in outs], [xs[i] for i in p.smooth], cotangents, materialize_grads=True
    )
    _compare(p, found, wanted)


def _check_sizes(p: _Program) -> None:
    """A network that is exported for any number of examples."""
    if p.case.name not in _OF_ANY_SIZE:
        return
    size = torch.export.Dim("n", min=2, max=64)
    module = fx.export_and_import(
        p.torch, *p.case.args, output_type="stablehlo", dynamic_shapes=({0: size},)
    )
    _compare(p, p.ours(str(module))(*p.args), p.values)


def _check_vmap(p: _Program) -> None:
    if p.case.is_random:
        return
    scale = [0.875 if i in p.smooth else 1 for i in range(len(p.args))]
    others = [(x * s).to(x.dtype) for x, s in zip(p.case.args, scale, strict=True)]
    stacked = [np.stack([x, _array(y)]) for x, y in zip(p.args, others, strict=True)]
    members = zip(p.values, p.theirs(others), strict=True)
    _compare(p, anvl.vmap(p.ours(p.text))(*stacked), [torch.stack(pair) for pair in members])


def _compare(p: _Program, found: Sequence[Any], wanted: Sequence[torch.Tensor]) -> None:
    assert len(found) == len(wanted), f"{len(found)} results, torch has {len(wanted)}"
    for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
        a, dtype, b = np.asarray(a), b.dtype, _array(b)
        types = (a.dtype, a.shape), (b.dtype, b.shape)
        assert types[0] == types[1], f"result {i}: {types[0]}, torch has {types[1]}"
        if not p.case.is_random:
            rtol = _RTOL.get(dtype, 3e-4)
            a, b = a.astype("float64"), b.astype("float64")
            scale = np.abs(b[np.isfinite(b)]).max(initial=_LEAST)
            np.testing.assert_allclose(a, b, rtol, rtol * scale, err_msg=f"result {i}")


_CHECKS: dict[str, Callable[[_Program], None]] = {
    "anvl-opt": _check_opt, "value": _check_value, "grad": _check_grad, "vmap": _check_vmap,
    "sizes": _check_sizes,
}  # fmt: skip


def main(words: Sequence[str]) -> int:
    chosen = [c for c in CASES if not words or any(word in c.name for word in words)]
    print(f"{'':30}{''.join(f'{name:>9}' for name in _CHECKS)}")
    counts: Counter[str] = Counter()
    for case in chosen:
        program, row, said = _Program(case), [], []
        for name, check in _CHECKS.items():
            try:
                check(program)
                row.append("ok")
            except Exception as error:
                row.append("FAILED")
                said.append(f"    {name}: {' '.join(f'{type(error).__name__}: {error}'.split())}")
        counts.update(row)
        print(
            "\n".join([f"{case.name:30}{''.join(f'{how:>9}' for how in row)}", *said]), flush=True
        )
    total = ", ".join(f"{n} {how}" for how, n in sorted(counts.items()))
    print(f"\n{len(chosen)} programs: {total}")
    return 1 if counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
