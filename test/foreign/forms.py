"""The forms in which JAX writes a program."""

import re
from collections.abc import Sequence
from contextlib import suppress

import jax
from case import Case
from jax import export

__all__ = ["artifact_of", "texts_of"]


def texts_of(case: Case) -> dict[str, str]:
    """The texts of one function: plain, with debug information, and, if it can be, exported."""
    lowered = _jitted(case).lower(*case.args)
    texts = {"plain": lowered.as_text(), "debug": lowered.as_text(debug_info=True)}
    with suppress(NotImplementedError):  # of callbacks
        texts["export"] = _exported(case).mlir_module()
        for platform in (p for p in _ELSEWHERE if p not in case.without):
            with suppress(ValueError):  # of routines that it lacks, or promises nothing of
                text = _exported(case, [platform]).mlir_module()
                if set(_called(text)) - set(_called(texts["export"])):
                    texts[platform] = text
    return texts


#: Platforms whose programs call other routines.
_ELSEWHERE = ("cuda", "rocm", "tpu")


def _called(text: str) -> list[str]:
    return re.findall(r"stablehlo.custom_call @([\w.$]+)", text)


def artifact_of(case: Case) -> bytes | None:
    """The portable artifact that `jax.export` keeps; None of what it cannot."""
    try:
        return _exported(case).mlir_module_serialized
    except NotImplementedError:
        return None


def _jitted(case: Case) -> jax.stages.Wrapped:
    return jax.jit(case.function, keep_unused=True, **case.jit)


def _exported(case: Case, platforms: Sequence[str] | None = None) -> export.Exported:
    # Routines are exported for this machine, or such as are lifted: it is run here.
    targets = ("xla_ffi_python_cpu_callback", "ApproxTopK")
    checks = [export.DisabledSafetyCheck.custom_call(target) for target in targets]
    return export.export(_jitted(case), platforms=platforms, disabled_checks=checks)(*case.args)
