"""Run the commands of a lit test as lit does, and keep what each filecheck is given."""

import atexit
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["CheckedText", "LitTest", "RunError", "lit_test"]

_FILECHECK = re.compile(r"filecheck(-\d+)?(\.exe)?", re.IGNORECASE)
_NUMBERS = re.compile(r"anvl-numbers|.*\bcheck_numbers(\.py)?")


class RunError(Exception):
    """A test cannot be run."""


@dataclass(frozen=True)
class CheckedText:
    """What one call of filecheck, or of the tool that compares numbers, is given."""

    line: int
    prefixes: tuple[str, ...]
    text: str
    of_numbers: bool


@dataclass(frozen=True)
class LitTest:
    """A test with its commands, as lit's configuration of its folder makes them."""

    path: Path
    test: Any
    config: Any

    @property
    def folders(self) -> list[Path]:
        """Where the test is and where lit has its files: other folders elsewhere."""
        return [self.path.parent, Path(self.test.getExecPath()).parent]

    def checked(self) -> list[CheckedText]:
        """Run all commands, with each filecheck replaced by one that keeps its input.

        Raises `RunError` with the message of a command that fails.
        """
        with tempfile.TemporaryDirectory(prefix="anvl-checks-") as folder:
            found: list[tuple[int, Any, Path]] = []

            def replaced(line: int, command: Any) -> Any:
                kept = Path(folder, str(len(found)))
                found.append((line, command, kept))
                return _copying(command, kept)

            if what := self._run(replaced):
                raise RunError(what)
            return [_checked(line, command, kept) for line, command, kept in found]

    def failure(self) -> str:
        """Why the test fails as it stands now; empty if it passes."""
        return self._run(lambda line, command: command)

    def _run(self, replaced: Any) -> str:
        from lit.ShellEnvironment import ShellEnvironment
        from lit.ShUtil import ShParser
        from lit.TestRunner import executeShCmd

        folder = Path(self.test.getExecPath()).parent
        (folder / "Output").mkdir(parents=True, exist_ok=True)
        shell = ShellEnvironment(str(folder), self.test.config.environment)
        for line, text in self._commands():
            parsed = ShParser(text, self.config.isWindows, self.test.config.pipefail).parse()
            results: list[Any] = []
            limit = self.test.config.maxIndividualTestTime or 0
            code, late = executeShCmd(_mapped(parsed, line, replaced), shell, results, limit)
            if code:
                said = "\n".join(r.stderr.strip() or r.stdout.strip() for r in results).strip()
                return f"the command of line {line} fails: {late or said or f'exit code {code}'}"
        return ""

    def _commands(self) -> list[tuple[int, str]]:
        """Each command, substituted, with the number of its line."""
        import lit.TestRunner as runner
        from lit.Test import Result

        script = runner.parseIntegratedTestScript(self.test)
        if isinstance(script, Result):
            raise RunError(str(script.output or script.code.name).strip())
        substitutions = runner.getDefaultSubstitutions(
            self.test, *map(str, runner.getTempPaths(self.test))
        )
        features = dict.fromkeys(self.test.config.available_features, True)
        limit = self.test.config.recursiveExpansionLimit
        commands = runner.applySubstitutions(script, substitutions, features, limit)
        found = (re.fullmatch(runner.kPdbgRegex, command) for command in commands)
        return [
            (int(re.findall(r"\d+", match[1])[-1]), match[2])
            for match in found
            if match and match[2].strip()
        ]


def lit_test(path: Path) -> LitTest:
    """The test at `path`, with the `lit.cfg.py` above it, if there is one."""
    config, suites, configs = _lit()
    from lit.discovery import getTests

    suite, found = getTests(str(path), config, suites, configs)
    tests = list(found)
    if not suite:
        return LitTest(path, _alone(path, config), config)
    if len(tests) != 1:
        raise RunError("lit does not take it for a test; see suffixes and excludes in lit.cfg.py")
    return LitTest(path, tests[0], config)


@cache
def _lit() -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Lit's settings, and what it has read of the folders: a `lit.cfg.py` may start processes."""
    try:
        from lit.LitConfig import LitConfig
    except ImportError:
        raise RunError("lit is not installed, which runs the tests; pip install lit") from None
    config = LitConfig(
        progname="anvl-update-checks", path=[], diagnostic_level="error", useValgrind=False,
        valgrindLeakCheck=False, valgrindArgs=[], noExecute=False, debug=False,
        isWindows=sys.platform == "win32", order="smart", params={},
    )  # fmt: skip
    return config, {}, {}


def _alone(path: Path, config: Any) -> Any:
    """A test that has no `lit.cfg.py` above it."""
    import lit.Test
    from lit.formats import ShTest
    from lit.TestingConfig import TestingConfig

    given = TestingConfig.fromdefaults(config)
    given.name, given.test_format = "alone", ShTest()
    tools = str(Path(sys.executable).parent)
    given.environment["PATH"] += os.pathsep + tools
    given.substitutions += [("%run", "anvl-run")]
    outputs = tempfile.mkdtemp(prefix="anvl-checks-")
    atexit.register(shutil.rmtree, outputs, ignore_errors=True)
    suite = lit.Test.TestSuite("alone", str(path.parent), outputs, given, config)
    return lit.Test.Test(suite, (path.name,), given)


def _mapped(parsed: Any, line: int, replaced: Any) -> Any:
    """The parsed command with every call of filecheck replaced."""
    from lit.ShUtil import Pipeline, Seq

    if isinstance(parsed, Seq):
        left, right = (_mapped(part, line, replaced) for part in (parsed.lhs, parsed.rhs))
        return Seq(left, parsed.op, right)
    commands = [replaced(line, c) if _checks(c.args) else c for c in parsed.commands]
    return Pipeline(commands, parsed.negate, parsed.pipe_err)


def _checks(args: Sequence[Any]) -> bool:
    words = [Path(str(arg)).name for arg in args]
    return bool(_FILECHECK.fullmatch(words[0])) or _compares_numbers(words)


def _compares_numbers(words: Sequence[Any]) -> bool:
    return any(_NUMBERS.fullmatch(str(word)) for word in words[:3])


def _copying(command: Any, kept: Path) -> Any:
    """A command that writes what it is given, on stdin or by --input-file, into a file."""
    from lit.ShCommands import Command

    redirects = [r for r in command.redirects if r[0][0] == "<"]
    if given := _values(command.args, "input-file"):
        redirects = [(("<",), given[-1])]
    return Command(["cat"], [*redirects, ((">",), str(kept))])


def _checked(line: int, command: Any, kept: Path) -> CheckedText:
    of_numbers = _compares_numbers(command.args)
    names = [
        name
        for flag in ("check-prefix", "check-prefixes")
        for value in _values(command.args, flag)
        for name in value.split(",")
    ]
    usual = "NUMBERS" if of_numbers else "CHECK"
    return CheckedText(line, tuple(names) or (usual,), kept.read_text("utf-8"), of_numbers)


def _values(args: Sequence[Any], flag: str) -> list[str]:
    """The values of a flag, written `--flag=value` or `--flag value`."""
    words = [str(arg) for arg in args]
    found = []
    for at, word in enumerate(words):
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and name == flag:
            found += [value] if equals else words[at + 1 : at + 2]
    return found
