"""Tracebacks that end at the user's line: anvl's own frames are removed from users' errors.

A public function catches its errors, hides anvl's frames and raises again with a bare `raise`,
which adds no frame of its own:

    except Exception as error:
        hide_frames(error)
        raise

With the setting `traceback_filtering` off, all frames are shown.  `explain_error` in place of
`hide_frames` also lets the message name the function that the person called.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import itertools
import linecache
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from types import CodeType, FrameType, FunctionType, ModuleType, TracebackType
from typing import Any, TypeVar

import numpy as np

from anvl.runtime.settings import runtime_settings

__all__ = [
    "explain_error",
    "hide_code_of",
    "hide_frames",
    "hide_frames_of",
    "hiding_frames",
    "is_library_code",
    "line_of_user",
    "recursion_of",
    "set_home",
]

_F = TypeVar("_F", bound=Callable[..., Any])

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)

_OF_METHODS = ("self", "cls", "_cls")

# Only these errors of anvl's code are meant for users: any other is a bug of anvl, and is shown
# whole.  Anvl's own classes are recognized by their module.
_MEANT = (TypeError, ValueError, ArithmeticError, IndexError, NotImplementedError)

_folders = [os.path.dirname(os.path.abspath(__file__)) + os.sep]
_known: dict[str, bool] = {}


def hide_code_of(file: str) -> None:
    """Hide the frames of all code in the folder of `file`."""
    _folders.append(os.path.dirname(os.path.abspath(file)) + os.sep)
    _known.clear()


def hide_frames(error: BaseException) -> None:
    """Remove anvl's frames from the traceback of an error that is meant for users."""
    if not runtime_settings.traceback_filtering:
        return
    entries = []
    entry = error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    if not entries or (_is_library_frame(entries[-1]) and not _is_meant(error)):
        return
    kept: TracebackType | None = None
    for entry in reversed(entries):
        if not _is_library_frame(entry):
            kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    error.__traceback__ = kept


def hiding_frames(f: _F) -> _F:
    """Wrap f to hide anvl's frames in its errors.  Costs a call: not for the fast path."""

    @functools.wraps(f)
    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            return f(*args, **kwargs)
        except Exception as error:
            explain_error(error, f, kwargs)
            raise

    return function  # type: ignore[return-value]


def hide_frames_of(names: Iterable[str], namespace: dict[str, Any]) -> None:
    """Let the plain functions and the classes of a module hide anvl's frames in their errors."""
    hiding: dict[FunctionType, Any] = {}  # a function under two names stays one
    for name in names:
        value = namespace.get(name)  # absent where it is loaded when it is first asked for
        if isinstance(value, type):
            _hide_frames_of_class(value)
        elif type(value) is FunctionType and not hasattr(value, "__wrapped__"):
            if value not in hiding:
                hiding[value] = hiding_frames(value)
                set_home(hiding[value], namespace["__name__"], name)
            namespace[name] = hiding[value]


def set_home(function: Callable[..., Any], module: str, name: str) -> None:
    """Let pickle find a function that wraps another one where people do: in a module, by a name."""
    function.__module__, function.__qualname__ = module, name


def _hide_frames_of_class(made: type) -> None:
    """Let the constructor of a class that has one of its own hide anvl's frames."""
    own = vars(made)
    if issubclass(made, BaseException | enum.Enum) or getattr(made, "_is_protocol", False):
        return
    for name in ("__init__", "__new__"):
        f = own.get(name)
        f = f.__func__ if isinstance(f, staticmethod) else f
        if type(f) is FunctionType and not hasattr(f, "__wrapped__"):
            setattr(made, name, hiding_frames(f))


def explain_error(error: Exception, f: Callable[..., Any], kwargs: Iterable[str] = ()) -> None:
    """Prepare an error of f for the person who called it, from the wrapper that catches it.

    The message of an error within a function of anvl names it, if user code called it, and writes
    types as of arrays; a keyword is answered with the nearest one; anvl's frames are hidden.
    """
    _suggest_keyword(f, kwargs, error)
    module = str(getattr(f, "__module__", ""))
    # Errors of classes of anvl have their own form, and the primitives the types of the IR.
    is_plain = not type(error).__module__.startswith("anvl.")
    if (
        is_plain
        and isinstance(error, _NAMED)
        and module.startswith("anvl.")
        and module != "anvl.prim"
    ):
        entry = error.__traceback__
        while entry is not None and (_is_library_frame(entry) or _is_frame_of_numpy(entry)):
            entry = entry.tb_next
        if entry is None:  # no function of the person stands between
            said = str(error)
            _say(error, said, _named(_MLIR_TYPE.sub(_as_aval, said), f, sys._getframe(2)))
    hide_frames(error)


# Computations on the host are NumPy's, whose errors do not name the function that was called.
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep


def _is_frame_of_numpy(entry: TracebackType) -> bool:
    return os.path.abspath(entry.tb_frame.f_code.co_filename).startswith(_NUMPY)


# Errors whose message begins with the function.
_NAMED = (TypeError, ValueError, ArithmeticError, IndexError, NotImplementedError)

_MLIR_TYPE = re.compile(r"tensor<((?:\d+x)*)(?:complex<f(\d+)>|(\w+))>")


def _as_aval(type_: re.Match[str]) -> str:
    """A type of MLIR as messages write that of an array: `f32[2,3]`."""
    sizes, half, plain = type_.groups()
    dtype = f"c{2 * int(half)}" if half else {"i1": "bool"}.get(plain, plain)
    return f"{dtype}[{sizes.rstrip('x').replace('x', ',')}]"


def _say(error: Exception, said: str, message: str) -> None:
    """Replace the message of an error that is its only argument."""
    if error.args != (said,):
        return
    error.args = (message,)
    if str(error) == said and hasattr(error, "_msg"):  # NumPy's AxisError keeps another
        error._msg = message


def _named(said: str, f: Callable[..., Any], caller: FrameType | None) -> str:
    """The message, with the name of f before it if user code called f, unless it has that."""
    while caller is not None and caller.f_code.co_filename.startswith("<anvl "):
        caller = caller.f_back
    if caller is None or is_library_code(caller.f_code.co_filename):
        return said
    own = getattr(f, "__name__", "")
    if own in ("__init__", "__new__"):
        own = f.__qualname__.split(".")[-2]
    name = _written_name(caller) or own
    if not name.isidentifier() or name.startswith("_"):
        return said
    if re.search(rf"(?<!\w){name}(:|\(|$)|^{name}\b", said):
        return said
    inner = re.match(r"(\w+): ", said)  # of a part of f, or f under another of its names
    if inner is not None and (inner[1].startswith("_") or inner[1] == own):
        said = said[inner.end() :]
    return f"{name}: {said}"


def _written_name(caller: FrameType) -> str | None:
    """The name by which the call under way writes a function of a module of anvl: `np.arctan`.

    Also one that was imported from such a module: `from anvl.numpy import arctan`.
    """
    try:
        call = ast.parse(_source_of_call(caller), mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call):
        return None
    if isinstance(call.func, ast.Name):
        name = call.func.id
        return name if _is_exported(name, _value_of(call.func, caller)) else None
    if not isinstance(call.func, ast.Attribute):
        return None
    module = _value_of(call.func.value, caller)
    is_ours = isinstance(module, ModuleType) and module.__name__.partition(".")[0] == "anvl"
    return call.func.attr if is_ours else None


def _is_exported(name: str, value: Any) -> bool:
    """Whether a value is that of this name in its module, or in one of the packages of that."""
    module = str(getattr(value, "__module__", ""))
    while module.startswith("anvl."):
        if getattr(sys.modules.get(module), name, None) is value:
            return True
        module = module.rpartition(".")[0]
    return False


def _value_of(path: ast.expr, frame: FrameType) -> Any:
    """The value of `np` or `np.linalg` in a frame; None for other expressions."""
    if isinstance(path, ast.Attribute):
        return getattr(_value_of(path.value, frame), path.attr, None)
    if not isinstance(path, ast.Name):
        return None
    return frame.f_locals.get(path.id, frame.f_globals.get(path.id))


def _source_of_call(frame: FrameType) -> str:
    """The text of the expression under way; empty where Python does not know it."""
    code, at = frame.f_code, frame.f_lasti // 2
    line, end, first, last = next(itertools.islice(code.co_positions(), at, None), (None,) * 4)
    if line is None or end is None:
        return ""
    lines = [
        linecache.getline(code.co_filename, i, frame.f_globals).encode()
        for i in range(line, end + 1)
    ]
    lines[-1] = lines[-1][:last]
    lines[0] = lines[0][first:]
    return b"".join(lines).decode()


#: What Python says of a call that a function does not take.
_NO_CALL = re.compile(r"[\w.<>]*?(\w+)\(\) (got an unexpected keyword arg|missing \d+ required)")


def _suggest_keyword(f: Callable[..., Any], kwargs: Iterable[str], error: Exception) -> None:
    """Name the parameter that is nearest to an unknown keyword, as Python does from 3.13 on.

    Also where Python says that an argument is missing, which may be the one that was meant.
    """
    if not kwargs or not isinstance(error, TypeError) or not error.args:
        return
    said = str(error.args[0]).partition(". Did you mean")[0]
    found = _NO_CALL.match(said)
    if found is None or found[1] != getattr(f, "__name__", ""):
        return
    known, any_name = _keywords_of(f)
    for keyword in () if any_name else (k for k in kwargs if k not in known):
        reason = f"; there is no keyword {keyword!r}" if found[2].startswith("missing") else ""
        advice = f"{reason}; {_advice(keyword, known)}"
        if not said.endswith(advice):  # a wrapper within this one gave it
            error.args = (f"{said}{advice}",)
        return


def _keywords_of(f: Callable[..., Any]) -> tuple[list[str], bool]:
    """Names by which arguments of f can be given, and whether it takes any name."""
    parameters = inspect.signature(f).parameters.values()
    known = [p.name for p in parameters if p.kind in _BY_NAME and p.name not in _OF_METHODS]
    return known, any(p.kind is p.VAR_KEYWORD for p in parameters)


def _advice(keyword: str, known: list[str]) -> str:
    import difflib  # for messages, as here, alone

    near = difflib.get_close_matches(keyword, known, 1)
    return f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(known) or 'none'}"


def _is_meant(error: BaseException) -> bool:
    if isinstance(error, RecursionError):  # Python's own names nobody's function
        return not str(error).startswith("maximum recursion depth")
    return isinstance(error, _MEANT) or type(error).__module__.partition(".")[0] == "anvl"


def _is_library_frame(entry: TracebackType) -> bool:
    return is_library_code(entry.tb_frame.f_code.co_filename)


def line_of_user(frame: FrameType) -> tuple[str, int]:
    """File and line of the innermost frame of user code."""
    while is_library_code(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


_RECURSION = 8  # calls of one function in a traceback that are a recursion


def recursion_of(error: RecursionError) -> tuple[str, int, str] | None:
    """The function of the person that fills the stack: its name, its calls, and where it stands.

    None if there is none: then a stack was all but full before.
    """
    codes: Counter[CodeType] = Counter()
    entry = error.__traceback__
    while entry is not None:
        if not _is_library_frame(entry):
            codes[entry.tb_frame.f_code] += 1
        entry = entry.tb_next
    if not codes:
        return None
    code, count = codes.most_common(1)[0]
    if count < _RECURSION:
        return None
    return code.co_name, count, f"{code.co_filename}:{code.co_firstlineno}"


def is_library_code(name: str) -> bool:
    """Whether code of this file name is anvl's own, generated code included."""
    found = _known.get(name)
    if found is None:
        full = os.path.abspath(name)
        found = name.startswith("<anvl ") or any(full.startswith(f) for f in _folders)
        _known[name] = found
    return found
