"""The checks of one program of JAX's: lifted, lowered, run, differentiated, batched, compared."""

import contextlib
import io
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from case import Case
from forms import artifact_of, texts_of

import anvl
from anvl.tools.opt.main import main as anvl_opt

__all__ = ["CHECKS", "findings"]

_Arrays = Sequence[Any]


class _NotSaid(Exception):
    """A check says nothing of a program."""


class _Program:
    """A case, its texts, and its function as JAX and as anvl have it, on flat lists of arrays."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.texts = texts_of(case)
        self.args = [np.asarray(x) for x in jax.tree.leaves(case.args)]
        self.smooth = [i for i, x in enumerate(self.args) if _is_smooth(x)]
        self.theirs = jax.jit(lambda *xs: jax.tree.leaves(case.function(*xs)))
        self.values = self.theirs(*self.args)
        self.outs = [i for i, y in enumerate(self.values) if _is_smooth(y)]
        self.rng = np.random.default_rng(1)

    @property
    def least_rtol_of_slopes(self) -> float:
        """For contractions of bf16 with results in f32.

        Their cotangents are rounded to bf16, where JAX widens the operands: see Note [Cotangents of
        contractions] in `anvl.dialect.ops.elementwise.upcast`.
        """
        return _TOLERANCES["bfloat16"] if "xbf16>" in self.texts["plain"] else 0

    def ours(self, program: str | bytes | None = None) -> Callable[..., list[Any]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of what says where arrays lie
            f = anvl.from_stablehlo(program or self.texts["plain"])

        def listed(*xs: Any) -> list[Any]:
            found = f(*xs)
            return list(found) if isinstance(found, tuple) else [found]

        return listed

    def smooth_part(self, f: Callable[..., Any]) -> Callable[..., list[Any]]:
        """Of the smooth arguments alone, the smooth results alone."""

        def part(*xs: Any) -> list[Any]:
            new = dict(zip(self.smooth, xs, strict=True))
            found = f(*[new.get(i, x) for i, x in enumerate(self.args)])
            return [found[i] for i in self.outs]

        return part

    def point(self) -> list[Any]:
        if not self.smooth or not self.outs:
            raise _NotSaid("nothing is smooth")
        return [self.args[i] for i in self.smooth]

    def directions(self, arrays: _Arrays) -> list[Any]:
        found = []
        for x in map(np.asarray, arrays):
            t = self.rng.normal(size=x.shape)
            if x.dtype.kind == "c":
                t = t + 1j * self.rng.normal(size=x.shape)
            found.append(np.asarray(t, x.dtype))
        return found


def _is_smooth(x: Any) -> bool:
    return bool(jax.numpy.issubdtype(np.asarray(x).dtype, np.inexact))


def _check_value(p: _Program) -> None:
    _compare(p.ours()(*p.args), p.values)


def _check_forms(p: _Program) -> None:
    """What is written with debug information, and by jax.export, computes the same."""
    for form, text in p.texts.items():
        if form != "plain":
            _compare(p.ours(text)(*p.args), p.values)


def _check_grad(p: _Program) -> None:
    """The pullback of random cotangents; where JAX has no reverse mode, by its tangents."""
    xs = p.point()
    gs = p.directions([p.values[i] for i in p.outs])
    found = anvl.vjp(p.smooth_part(p.ours()), *xs)[1](gs)
    f = p.smooth_part(p.theirs)
    if not p.case.by_differences:
        try:
            wanted = jax.jit(lambda xs, gs: jax.vjp(f, *xs)[1](gs))(xs, gs)
            _compare(found, wanted, p.least_rtol_of_slopes)
            return
        except ValueError as error:
            if "Reverse-mode differentiation does not work" not in str(error):
                raise
    for _ in range(3):
        ts = p.directions(xs)
        moved = _paired(gs, _moved_along(p, f, xs, ts))
        _compare([_paired(found, ts)], [moved], _DIFFERENCES)


def _check_jvp(p: _Program) -> None:
    xs = p.point()
    ts = p.directions(xs)
    found = anvl.jvp(p.smooth_part(p.ours()), tuple(xs), tuple(ts))[1]
    moved = _moved_along(p, p.smooth_part(p.theirs), xs, ts)
    _compare(found, moved, _DIFFERENCES if p.case.by_differences else 0)


def _moved_along(p: _Program, f: Callable[..., Any], xs: _Arrays, ts: _Arrays) -> list[Any]:
    """The tangents of the results, by JAX or by differences."""
    if not p.case.by_differences:
        return jax.jit(lambda xs, ts: jax.jvp(f, xs, ts)[1])(tuple(xs), tuple(ts))
    step = 1e-6
    ends = [f(*[x + h * t for x, t in zip(xs, ts, strict=True)]) for h in (step, -step)]
    return [(np.asarray(a) - np.asarray(b)) / (2 * step) for a, b in zip(*ends, strict=True)]


def _paired(gs: _Arrays, ts: _Arrays) -> np.ndarray:
    """The real part of the sum of all products."""
    pairs = [(np.asarray(g), np.asarray(t)) for g, t in zip(gs, ts, strict=True)]
    return np.asarray(sum(np.sum(_wide(g) * _wide(t)).real for g, t in pairs), pairs[0][0].dtype)


def _check_vmap(p: _Program) -> None:
    if not p.args:
        raise _NotSaid("it takes nothing")
    stacked = [np.stack([x, _another(x)]) for x in p.args]
    found = anvl.vmap(p.ours())(*stacked)
    members = [p.theirs(*[x[k] for x in stacked]) for k in range(2)]
    wanted = [np.stack([np.asarray(y) for y in ys]) for ys in zip(*members, strict=True)]
    _compare(found, wanted)


def _another(x: Any) -> Any:
    """Another member of a batch, at which much is as at the first."""
    return (x * np.asarray(0.875, x.dtype)).astype(x.dtype) if _is_smooth(x) else x


def _check_opt(p: _Program) -> None:
    for form, text in p.texts.items():
        _through_opt(text.encode(), f"{form}.mlir")


def _check_artifact(p: _Program) -> None:
    artifact = artifact_of(p.case)
    if artifact is None:
        raise _NotSaid("jax.export does not write it")
    _through_opt(artifact, "artifact")
    if p.case.refused.get("value") is None:
        _compare(p.ours(artifact)(*p.args), p.values)


_PIPELINE = ("--anvl-lift", "--anvl-control-flow", "--anvl-lower-to-stablehlo")


def _through_opt(data: bytes, name: str) -> None:
    """Lift and lower with anvl-opt, which must say nothing but remarks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = anvl_opt([str(path), *_PIPELINE, "-o", str(path.with_suffix(".out"))])
    if status:
        raise AssertionError(f"anvl-opt on {name} exits with {status}: {said.getvalue()[:500]}")


#: By dtype: the relative error that both sides may have, of the largest number.
_TOLERANCES = {
    "float16": 4e-3, "bfloat16": 3e-2, "float32": 3e-4, "float64": 1e-8, "complex64": 3e-4,
    "complex128": 1e-8,
}  # fmt: skip
_DIFFERENCES = 1e-5  # the relative error of differences
_LEAST = 1e-3  # below it, errors are absolute


def _compare(found: _Arrays, wanted: _Arrays, least_rtol: float = 0) -> None:
    assert len(found) == len(wanted), f"{len(found)} results, jax has {len(wanted)}"
    for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
        a, b = np.asarray(a), np.asarray(b)
        types = (a.dtype, a.shape), (b.dtype, b.shape)
        assert types[0] == types[1], f"result {i}: {types[0]}, jax has {types[1]}"
        if not _is_smooth(b):
            np.testing.assert_array_equal(a, b, err_msg=f"result {i}")
            continue
        rtol = max(least_rtol, _TOLERANCES.get(b.dtype.name, 0.1))
        b = _wide(b)
        scale = np.abs(b[np.isfinite(b)]).max(initial=_LEAST)
        np.testing.assert_allclose(_wide(a), b, rtol, rtol * scale, err_msg=f"result {i}")


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype("complex128" if x.dtype.kind == "c" else "float64")


CHECKS: dict[str, Callable[[_Program], None]] = {
    "anvl-opt": _check_opt,
    "value": _check_value,
    "forms": _check_forms,
    "grad": _check_grad,
    "jvp": _check_jvp,
    "vmap": _check_vmap,
    "artifact": _check_artifact,
}


def findings(case: Case) -> Iterator[tuple[str, str, str]]:
    """For each check its name, how it ended, and what is to be said."""
    with jax.enable_x64(case.x64):
        program = _Program(case)
        for name, check in CHECKS.items():
            yield name, *_outcome(program, name, check)


def _outcome(p: _Program, name: str, check: Callable[[_Program], None]) -> tuple[str, str]:
    if name in p.case.without:
        return "-", p.case.without[name]
    expected = p.case.refused.get(name)
    try:
        check(p)
    except _NotSaid as error:
        return "-", str(error)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        is_refusal = expected is not None and expected in text
        return ("refused", text) if is_refusal else ("FAILED", text)
    return ("ok", "") if expected is None else ("FAILED", f"was to be refused: {expected}")
