"""`own`: functions for programs besides anvl's, with uniquely determined results.

    own = Own(np, anvl)        of anvl, or of its replacement

Factorizations are multiplied out again, since signs and phases of vectors are free; a custom rule
equals anvl's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Own"]


class Own:
    """The functions, over a namespace `np` and one of transformations."""

    def __init__(self, np: Any, anvl: Any) -> None:
        self.np, self.anvl = np, anvl

    def rebuilt_from_svd(self, x: Any) -> Any:
        u, s, vh = self.np.linalg.svd(x, full_matrices=False)
        return self.np.matmul(u * s[..., None, :], vh)

    def root_by_eigh(self, x: Any) -> Any:
        w, v = self.np.linalg.eigh(x)
        back = self.np.conj(self.np.swapaxes(v, -1, -2))
        return self.np.matmul(v * self.np.sqrt(self.np.abs(w))[..., None, :], back)

    def rebuilt_from_eig(self, x: Any) -> Any:
        w, v = self.np.linalg.eig(x)
        return self.np.matmul(v * w[..., None, :], self.np.linalg.inv(v))

    def with_jvp_rule(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """f under `custom_jvp`, with its own derivative as rule."""
        function = self.anvl.custom_jvp(f)

        def rule(primals: Any, result: Any, tangents: Any) -> Any:
            return self.anvl.jvp(f, primals, tangents)[1]

        function.defjvp(rule)
        return function

    def with_vjp_rule(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """f under `custom_vjp`, with its own derivative as rule."""
        function = self.anvl.custom_vjp(f)

        def rule(primals: Any, result: Any, cotangent: Any) -> Any:
            return self.anvl.vjp(f, *primals)[1](cotangent)

        function.defvjp(rule)
        return function
