"""Note which tests take long, from the report of the last `make unit`.

    python tools/dev/long_tests.py        what `make long-tests` runs, after a run of all tests

`test/unit/long_tests.txt` has a line for each test function that takes more of a core than
`SECONDS`: its name, and how many of its cases `make test` runs.  `make sweep-part` has some of the
others, `make sweep` all (`test/unit/sweep.py`).  A test that is in the list already has no time in
the report, or that of some cases: its line stays.  A mark `sweep` counts before the list.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "out" / "reports" / "unit.xml"
LIST = ROOT / "test" / "unit" / "long_tests.txt"
SECONDS = 0.4

#: Where each case is a rule of its own, or all of them are one program.
NEVER = ("::test_rules_agree_with_numbers", "::test_refused", "::test_the_code_of_a_document_runs")
TABLES = "dialect/test_edges"


def main() -> int:
    if not REPORT.exists():
        print(f"long_tests: there is no {REPORT.relative_to(ROOT)}; run `make unit`, then this")
        return 1
    lines = kept(times(ElementTree.parse(REPORT))) | noted(LIST.read_text())
    LIST.write_text("".join(f"{name} {keep}\n" for name, keep in sorted(lines.items())))
    print(f"{len(lines)} long tests are noted in {LIST.relative_to(ROOT)}")
    return 0


def noted(text: str) -> dict[str, int]:
    """The list as it is: test functions, and how many of their cases are kept."""
    return {name: int(keep) for name, keep in (line.split() for line in text.splitlines())}


def times(report: "ElementTree.ElementTree[ElementTree.Element]") -> dict[str, list[float]]:
    """The seconds of each case of a test function, by its name as pytest takes it."""
    found: dict[str, list[float]] = defaultdict(list)
    for case in report.iter("testcase"):
        name = case.get("name", "").partition("[")[0]
        found[f"{case.get('classname', '').replace('.', '/')}.py::{name}"].append(
            float(case.get("time", 0))
        )
    return found


def kept(of: Mapping[str, Iterable[float]]) -> dict[str, int]:
    """How many cases take `SECONDS` together, of each test function that takes more."""
    found = {}
    for name, seconds in of.items():
        each = list(seconds)
        if sum(each) > SECONDS and not name.endswith(NEVER) and TABLES not in name:
            found[name] = int(len(each) * SECONDS / sum(each)) if len(each) > 1 else 0
    return found


if __name__ == "__main__":
    sys.exit(main())
