"""The functions of `anvl.numpy` as their users see them: other spellings, and whole docstrings."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from anvl.call_spellings.numpy_forms import NUMPY as FORMS
from anvl.call_spellings.translation import LongForm, respell
from anvl.docstrings.complete import complete, is_documented
from anvl.docstrings.of_numpy import NUMPY as DOCSTRINGS
from anvl.numpy.name_table import LONG_FORMS
from anvl.runtime import set_home

__all__ = ["LONG_FORM_MODULES", "public_forms"]

#: The tables of functions for calls in longer forms, and their modules.
LONG_FORM_MODULES = {
    "LONG_FORMS": "analysis.numpy_long_forms",
    "PRODUCT_FORMS": "linear.product_forms",
}
_LONGER = {
    name: LongForm(f"anvl.numpy.{LONG_FORM_MODULES[table]}", table, name)
    for table, names in LONG_FORMS.items()
    for name in names.split()
}


def public_forms(functions: dict[str, Any]) -> dict[str, Any]:
    """The functions of a module, by name, in the forms in which `anvl.numpy` has them."""
    namespace = {**functions, "__name__": "anvl.numpy"}
    respell(namespace, _among(functions, FORMS), _among(functions, _LONGER))
    complete(functions, namespace, DOCSTRINGS)
    found = {name: namespace[name] for name in functions}
    for name, f in found.items():  # made by `unary`, most are in no module by their names
        if type(f) is FunctionType and is_documented(f):  # none of NumPy's
            own = f.__name__
            set_home(f, "anvl.numpy", own if found.get(own) is f else name)  # `abs`: not `absolute`
    return found


def _among(names: dict[str, Any], table: Any) -> dict[str, Any]:
    return {name: x for name, x in table.items() if name in names}
