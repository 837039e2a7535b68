"""The forms in which JAX writes a program."""

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
    return texts


def artifact_of(case: Case) -> bytes | None:
    """The portable artifact that `jax.export` keeps; None of what it cannot."""
    try:
        return _exported(case).mlir_module_serialized
    except NotImplementedError:
        return None


def _jitted(case: Case) -> jax.stages.Wrapped:
    return jax.jit(case.function, keep_unused=True, **case.jit)


def _exported(case: Case) -> export.Exported:
    # Routines are exported for this machine: it is run here.
    targets = ("xla_ffi_python_cpu_callback", "ApproxTopK")
    checks = [export.DisabledSafetyCheck.custom_call(target) for target in targets]
    return export.export(_jitted(case), disabled_checks=checks)(*case.args)
