"""Pages of the reference: one for each public module, with every public name of it."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from anvl.tools.reference.docstring_text import Resolve, to_rst

__all__ = ["module_pages", "public_modules", "public_names"]

#: The modules that people import, in the order of the table of contents.
_NAMED = (
    "anvl", "anvl.numpy", "anvl.numpy.linalg", "anvl.numpy.fft", "anvl.lax", "anvl.lax.linalg",
    "anvl.random", "anvl.nn", "anvl.nn.initializers", "anvl.optim", "anvl.optim.losses",
    "anvl.scipy", "anvl.scipy.integrate", "anvl.scipy.linalg", "anvl.scipy.optimize",
    "anvl.scipy.special", "anvl.scipy.stats", "anvl.tree", "anvl.tree_util",
    "anvl.flatten_util", "anvl.ops", "anvl.windows", "anvl.image", "anvl.safetensors",
    "anvl.ffi", "anvl.debug", "anvl.profiler", "anvl.testing", "anvl.testing.lit", "anvl.prim",
    "anvl.dialect", "anvl.passes",
)  # fmt: skip


def public_modules() -> list[str]:
    """The modules that have a page: those named above, and further ones that these have."""
    found = list(_NAMED)
    for name in found:
        module = importlib.import_module(name)
        members = (getattr(module, n) for n in getattr(module, "__all__", ()))
        below = [x.__name__ for x in members if isinstance(x, ModuleType)]
        found += [n for n in below if n not in found and n.startswith("anvl.")]
    return found


def public_names(module: ModuleType) -> list[str]:
    """The public names of a module without its modules."""
    listed = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
    return sorted(
        {name for name in listed if not isinstance(getattr(module, name), ModuleType)},
        key=lambda name: (name.lower(), name),
    )


def module_pages() -> dict[str, str]:
    """Pages by their paths: reStructuredText."""
    modules = {name: importlib.import_module(name) for name in public_modules()}
    known = {f"{name}.{n}" for name, module in modules.items() for n in public_names(module)}
    known |= set(modules)
    homes: dict[int, str] = {}
    return {f"reference/{name}.rst": _page(name, of, known, homes) for name, of in modules.items()}


def _page(name: str, module: ModuleType, known: set[str], homes: dict[int, str]) -> str:
    """The page of a module; what another module has, too, is described where it was first."""
    groups: dict[str, dict[str, Any]] = {"Functions": {}, "Classes": {}, "Values": {}}
    for n in public_names(module):
        groups[_group(getattr(module, n))][n] = getattr(module, n)
    resolve = _resolver(name, known)
    text = to_rst(inspect.getdoc(module) or "", resolve)
    parts = [_titled(f"``{name}``", "="), f".. py:module:: {name}", text]
    for title, of in groups.items():
        if of:
            parts += [_titled(title, "-"), _listed(name, of)]
            for n, x in of.items():
                full = f"{name}.{n}"
                home = homes.setdefault(id(x), full) if inspect.isroutine(x) else full
                parts.append(_entry(n, x, resolve) if home == full else _another(n, x, home))
    return "\n\n".join(parts) + "\n"


def _listed(module: str, names: Iterable[str]) -> str:
    """The names of a group, each a link to its description."""
    return " · ".join(f":py:obj:`{name} <{module}.{name}>`" for name in names)


def _group(x: Any) -> str:
    if isinstance(x, type):
        return "Classes"
    return "Functions" if callable(x) else "Values"


def _titled(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def _resolver(module: str, known: set[str]) -> Resolve:
    def resolve(code: str) -> str | None:
        plain = code.removesuffix("()")
        if not plain.replace(".", "").replace("_", "").isalnum():
            return None
        for full in (f"{module}.{plain}", plain):
            if full in known and full != module:
                return full
        return None

    return resolve


def _another(name: str, x: Any, home: str) -> str:
    return _directive("function", f"{name}{_signature(x)}", f"The same as :py:obj:`{home}`.")


def _entry(name: str, x: Any, resolve: Resolve) -> str:
    if isinstance(x, type):
        return _class(name, x, resolve)
    if callable(x):
        return _directive("function", f"{name}{_signature(x)}", _doc(x, resolve))
    return _directive("data", name, f"``{_shown(x)}``")


def _class(name: str, of: type, resolve: Resolve) -> str:
    kind = "exception" if issubclass(of, BaseException) else "class"
    members = [] if _is_foreign(of) else list(_members(of, resolve))
    return _directive(kind, name, "\n\n".join([_doc(of, resolve), *members]))


def _is_foreign(x: Any) -> bool:
    return not str(getattr(x, "__module__", "")).startswith("anvl")


def _members(of: type, resolve: Resolve) -> Iterator[str]:
    """Methods and properties of the class itself that have a docstring."""
    for name, member in sorted(vars(of).items()):
        plain = getattr(member, "__func__", member)
        if name.startswith("_") or not getattr(plain, "__doc__", None):
            continue
        if isinstance(member, property):
            yield _directive("property", name, _doc(member, resolve))
        elif isinstance(plain, FunctionType):
            yield _directive(
                "method", f"{name}{_signature(plain, is_method=True)}", _doc(plain, resolve)
            )


def _doc(x: Any, resolve: Resolve) -> str:
    if _is_foreign(x) and not isinstance(x, property):
        where = f"{getattr(x, '__module__', '')}.{getattr(x, '__name__', '')}"
        return f"``{where.removeprefix('builtins.')}``"
    return to_rst(inspect.getdoc(x) or "", resolve)


def _directive(kind: str, head: str, body: str) -> str:
    lines = "\n".join(f"   {line}".rstrip() for line in body.split("\n"))
    return f".. py:{kind}:: {head}\n\n{lines}"


def _signature(x: Any, *, is_method: bool = False) -> str:
    try:
        found = inspect.signature(x)
    except (TypeError, ValueError):
        return "(...)"
    parameters = list(found.parameters.values())[1 if is_method else 0 :]
    plain = [
        p.replace(
            annotation=p.empty, default=p.default if p.default is p.empty else _Shown(p.default)
        )
        for p in parameters
    ]
    return str(inspect.Signature(plain)).replace("*, )", ")")


class _Shown:
    """A default that prints as an expression, `...` if it has none."""

    def __init__(self, value: object) -> None:
        self.text = _shown(value)

    def __repr__(self) -> str:
        return self.text


def _shown(value: object) -> str:
    text = repr(value)
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return "..."
    return text if len(text) < 60 and "\n" not in text else "..."
