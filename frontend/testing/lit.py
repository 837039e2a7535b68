"""lit tests of ops and passes of one's own: two lines in `lit.cfg.py` set up the tools of anvl.

from anvl.testing.lit import configure
configure(config, lit_config, __file__, load=["../../my_dialect"])
"""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import lit.formats

__all__ = ["configure", "update_checks"]

#: Tools that know ops and passes by `--load`.
_LOADING = ("anvl-opt", "anvl-run", "anvl-diff", "anvl-reduce", "anvl-viz")
_FILECHECK = re.compile(r"filecheck(-\d+)?(\.exe)?", re.IGNORECASE)
_PASSED = ("ANVL_CACHE", "HOME", "JAX_PLATFORMS", "TF_CPP_MIN_LOG_LEVEL")
_SECONDS = 60


def configure(
    config: Any, lit_config: Any, file: str, *, load: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Set up the tests in the folder of `file`, which is the `__file__` of a `lit.cfg.py`.

    The tests are `.mlir` and `.test` files outside of folders `Inputs` and `Output`.  Their RUN
    lines find the tools of the environment that lit runs in.  `%run` is `anvl-run`, `%numbers`
    compares what it prints with `NUMBERS:` lines, within tolerances, and `%PYTHON` is this Python.
    `lit --update-tests` writes the checks again in failing tests whose checks `anvl-update-checks`
    wrote.  What is set here may be changed afterwards.

    Parameters
    ----------
    config, lit_config
        What lit gives to `lit.cfg.py`, under these names.
    file
        `__file__`.
    load
        Files and packages with ops and passes, from the folder of `file`, that every tool of anvl
        in a RUN line loads (`--load`).

    Raises
    ------
    FileNotFoundError
        A path in `load` does not exist.

    Examples
    --------
    >>> import lit.LitConfig, lit.TestingConfig
    >>> settings = lit.LitConfig.LitConfig(
    ...     "lit", [], "error", False, False, [], False, False, False, "smart", {}
    ... )
    >>> tests = lit.TestingConfig.TestingConfig.fromdefaults(settings)
    >>> configure(tests, settings, "test/lit/lit.cfg.py")
    >>> dict(tests.substitutions)["%run"]
    'anvl-run'
    """
    folder = Path(file).resolve().parent
    config.name = folder.parent.parent.name
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir", ".test"]
    config.excludes = ["Inputs", "Output"]
    config.test_source_root = str(folder)
    config.test_exec_root = str(folder / "Output")
    if importlib.util.find_spec("psutil"):  # what lit enforces time limits with
        config.maxIndividualTestTime = lit_config.maxIndividualTestTime or _SECONDS
    _set_environment(config)
    config.substitutions += [
        (r"\b(FileCheck|filecheck)\b", "filecheck --dump-input=fail"),
        ("%PYTHON", sys.executable),
        ("%run", "anvl-run"),
        ("%numbers", "anvl-numbers"),
        *_loading(folder, load),
    ]
    lit_config.test_updaters.append(update_checks)


def _set_environment(config: Any) -> None:
    """The tools of the environment that lit itself runs in, be it activated or not."""
    tools = os.path.dirname(sys.executable)
    config.environment["PATH"] = os.pathsep.join([tools, config.environment.get("PATH", "")])
    for name in _PASSED:
        if name in os.environ:
            config.environment[name] = os.environ[name]


def _loading(folder: Path, load: Iterable[str | os.PathLike[str]]) -> list[tuple[str, str]]:
    """Each tool with its `--load` flags, in place of the tool."""
    paths = [(folder / path).resolve() for path in load]
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(
                f"configure: load: there is no {path}; give files or packages from {folder}"
            )
    if not paths:
        return []
    flags = " ".join(f"--load={shlex.quote(str(path))}" for path in paths)
    return [(rf"(?<![\w/.-]){tool}(?![\w.-])", f"{tool} {flags}") for tool in _LOADING]


def update_checks(result: Any, test: Any, commands: Any) -> str | None:
    """Have `lit --update-tests` write generated checks again: lit calls this for a failed command.

    Parameters
    ----------
    result, test, commands
        What lit gives to an updater: the failed command, its test, the lines of the test.

    Returns
    -------
    str or None
        What it did; None for a command that compares no checks, and for a test whose checks people
        wrote.

    Examples
    --------
    >>> import lit.LitConfig, lit.TestingConfig
    >>> settings = lit.LitConfig.LitConfig(
    ...     "lit", [], "error", False, False, [], False, False, False, "smart", {}
    ... )
    >>> tests = lit.TestingConfig.TestingConfig.fromdefaults(settings)
    >>> configure(tests, settings, "test/lit/lit.cfg.py")
    >>> update_checks in settings.test_updaters
    True
    """
    words = [os.path.basename(str(word)) for word in result.command.args]
    if not any(_FILECHECK.fullmatch(word) or word == "anvl-numbers" for word in words[:2]):
        return None
    path = test.getSourcePath()
    if "written by anvl-update-checks" not in Path(path).read_text(encoding="utf-8"):
        return None
    done = subprocess.run(
        [sys.executable, "-m", "anvl.tools.checks.update_checks", path],
        capture_output=True,
        text=True,
    )
    return f"anvl-update-checks: {(done.stdout + done.stderr).strip() or 'nothing to change'}"


def __dir__() -> list[str]:
    return sorted(__all__)
