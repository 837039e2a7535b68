"""Runs the suite of the Array API standard on `anvl.numpy`: `make array-api`.

    make array-api ARRAY_API_TESTS=CLONE                              arrays
    make array-api ARRAY_API_TESTS=CLONE OPTIONS=--jit                everything jitted
    make array-api ARRAY_API_TESTS=CLONE OPTIONS="-- -k sort"         a part, for pytest

CLONE is a clone of github.com/data-apis/array-api-tests with its submodule, at the commit that the
Makefile names.
`test/array_api/failures.toml` has the failures that are known, with their reasons: any other one is
an error.  A whole run notes its numbers in `test/array_api/results.json`, and writes them and the
failures into `docs/array-api.md` and `README.md`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
NAMESPACE = ROOT / "test" / "array_api"
OUT = ROOT / "out" / "array-api"
#: What the suite imports and anvl's tests do not, installed beside the environment.
PACKAGES = ("ndindex", "pytest-json-report", "pytest-metadata")
MODULES = {"arrays": "anvl.numpy", "jitted": "exec('import jitted; xp = jitted.xp')"}

_EXAMPLES = {"arrays": 20, "jitted": 5}  # each jitted example is a program to compile

#: Outcome of each test, by its name: passed, failed or skipped.
Outcomes = Mapping[str, str]


def suite_error(clone: Path, commit: str) -> str | None:
    """Why a folder is not the suite that the numbers are about."""
    if not (clone / "array_api_tests").is_dir():
        return f"{clone} is no clone of data-apis/array-api-tests"
    if not (clone / "array-api" / "src" / "array_api_stubs").is_dir():
        return f"{clone} lacks its submodule: git -C {clone} submodule update --init"
    head = subprocess.run(
        ["git", "-C", clone, "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if head != commit:
        return f"{clone} is at {head or 'no commit'}; git -C {clone} checkout {commit}"
    return None


def run(clone: Path, mode: str, examples: int, arguments: Sequence[str]) -> Outcomes:
    """Run the suite, or a part of it."""
    packages, report = OUT / "packages", OUT / f"{mode}.xml"
    if not packages.exists():
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        subprocess.run([*install, str(packages), *PACKAGES], check=True)
    report.unlink(missing_ok=True)
    paths = [str(packages), str(NAMESPACE), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "ARRAY_API_TESTS_MODULE": MODULES[mode], "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }  # fmt: skip
    folder = [] if any("array_api_tests" in a for a in arguments) else ["array_api_tests"]
    command = [
        sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider",
        "-p", "unhurried",
        "--disable-deadline", f"--max-examples={examples}", f"--junitxml={report}",
        *arguments, *folder,
    ]  # fmt: skip
    subprocess.run(command, cwd=clone, env=environment, check=False)
    return read(report)


def read(report: Path) -> Outcomes:
    """The outcomes in a junit report."""
    if not report.exists():
        raise SystemExit("array-api: pytest wrote no report")
    outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        found = {child.tag for child in case}
        name = f"{case.get('classname', '').rpartition('array_api_tests.')[2]}::{case.get('name')}"
        failed = not found.isdisjoint({"failure", "error"})
        outcomes[name] = "failed" if failed else "skipped" if "skipped" in found else "passed"
    return outcomes


def known_failures() -> dict[str, dict[str, str]]:
    """The known failures of each mode, and their reasons."""
    found: dict[str, dict[str, str]] = tomllib.loads((NAMESPACE / "failures.toml").read_text())
    return found


def summary(outcomes: Outcomes) -> dict[str, list[int]]:
    """Passed, failed and skipped tests of each file."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for name, outcome in sorted(outcomes.items()):
        file = name.partition("::")[0].partition(".")[0]
        counts[file][("passed", "failed", "skipped").index(outcome)] += 1
    return dict(counts)


def unknown(outcomes: Outcomes, known: Mapping[str, str]) -> list[str]:
    """The failures without a reason; one that names no parameters is of all cases of a test."""
    failed = [name for name, outcome in outcomes.items() if outcome == "failed"]
    return sorted(n for n in failed if n not in known and n.partition("[")[0] not in known)


# -- the pages -------------------------------------------------------------------------------------


def table(
    results: Mapping[str, Mapping[str, Sequence[int]]], known: Mapping[str, Mapping[str, str]]
) -> str:
    """The section of the page: numbers by file, and the failures with their reasons."""
    modes = [mode for mode in MODULES if mode in results]
    lines = [f"| file | {' | '.join(modes)} |", f"|---|{'---|' * len(modes)}"]
    for file in sorted({file for mode in modes for file in results[mode]}):
        cells = [_cell(results[mode].get(file)) for mode in modes]
        lines.append(f"| `{file}` | {' | '.join(cells)} |")
    lines.append(f"| all | {' | '.join(_cell(_total(results[mode])) for mode in modes)} |")
    lines += ["", "| test that fails | with | reason |", "|---|---|---|"]
    for mode in MODULES:
        lines += [f"| `{_shown(n)}` | {mode} | {why} |" for n, why in known.get(mode, {}).items()]
    return "\n".join(lines)


def _shown(name: str) -> str:
    return name.replace("|", "\\|")


def _total(counts: Mapping[str, Sequence[int]]) -> list[int]:
    return [sum(c[i] for c in counts.values()) for i in range(3)]


def _cell(counts: Sequence[int] | None) -> str:
    if counts is None:
        return ""
    passed, failed, skipped = counts
    more = f", {skipped} skipped" if skipped else ""
    return f"{passed} of {passed + failed}{more}"


def sentence(results: Mapping[str, Mapping[str, Sequence[int]]]) -> str:
    """The sentence of README."""
    totals = {mode: _total(results[mode]) for mode in MODULES if mode in results}
    where = {"arrays": "on arrays", "jitted": "with every function jitted"}
    parts = [f"{passed} {where[mode]}" for mode, (passed, _, _) in totals.items()]
    n = max((passed + failed for passed, failed, _ in totals.values()), default=0)
    return f"of {n} tests of its suite pass {' and '.join(parts)}"


def with_section(page: str, text: str) -> str:
    """A page with a new text between its marks."""
    marks = re.compile(r"(<!-- array-api -->\n?).*?(\n?<!-- /array-api -->)", re.DOTALL)
    return marks.sub(lambda m: m[1] + text + m[2], page)


def pages(results: Mapping[str, Mapping[str, Sequence[int]]]) -> dict[Path, str]:
    """The pages with the numbers of these results."""
    docs, readme = ROOT / "docs" / "array-api.md", ROOT / "README.md"
    return {
        docs: with_section(docs.read_text(), table(results, known_failures())),
        readme: with_section(readme.read_text(), sentence(results)),
    }


def noted() -> dict[str, dict[str, list[int]]]:
    """The numbers of the last whole runs."""
    found: dict[str, dict[str, list[int]]] = json.loads((NAMESPACE / "results.json").read_text())
    return found


def _note(mode: str, counts: dict[str, list[int]]) -> None:
    results = noted() | {mode: counts}
    text = json.dumps(results, indent=2)
    text = re.sub(r"\[\s+(\d+),\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2, \3]", text)
    (NAMESPACE / "results.json").write_text(text + "\n")
    for page, text in pages(results).items():
        page.write_text(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suite, print what passes, and return 1 if a failure has no known reason."""
    parser = argparse.ArgumentParser(description="Run the suite of the Array API standard.")
    parser.add_argument("clone", type=Path, help="a clone of data-apis/array-api-tests")
    parser.add_argument("--commit", required=True, help="the commit that the clone must be at")
    parser.add_argument("--jit", action="store_true", help="jit every function and operator")
    parser.add_argument("--examples", type=int, help="examples of each test: 20; 5 if jitted")
    parser.epilog = "Arguments after `--` are for pytest: a part of the suite."
    whole = list(sys.argv[1:] if argv is None else argv)
    end = whole.index("--") if "--" in whole else len(whole)
    given, part = parser.parse_args(whole[:end]), whole[end + 1 :]
    error = suite_error(given.clone, given.commit)
    if error is not None:
        print(f"array-api: {error}", file=sys.stderr)
        return 2
    mode = "jitted" if given.jit else "arrays"
    OUT.mkdir(parents=True, exist_ok=True)
    examples = given.examples or _EXAMPLES[mode]
    outcomes, known = run(given.clone, mode, examples, part), known_failures()[mode]
    counts = summary(outcomes)
    for file, of in (counts | {"all": _total(counts)}).items():
        print(f"{file:44} {_cell(of)}")
    for name in unknown(outcomes, known):
        print(f"fails, and is not in failures.toml: {name}")
    for name in sorted(n for n in known if outcomes.get(n) == "passed"):
        print(f"passes, though in failures.toml: {name}")
    if not part:
        _note(mode, counts)
    return int(bool(unknown(outcomes, known)))


if __name__ == "__main__":
    sys.exit(main())
