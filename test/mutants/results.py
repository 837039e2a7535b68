"""What became of bugs: a file of lines of JSON, and the report."""

import fcntl
import hashlib
import json
import subprocess
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Results", "has_reason", "reasons", "report"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EQUIVALENT = HERE / "equivalent.txt"
SURVIVING = HERE / "surviving.txt"
WANTED = 0.95
#: What a result holds for: the rules, what lowers them, and what tests them.
_SOURCES = ("anvl_dialect", "passes", "frontend/testing", "test/mutants", "test/unit/dialect")


class Results:
    """Results by the names of bugs; each is on the disk as soon as there is one."""

    def __init__(self, path: Path, fresh: bool, missed: bool) -> None:
        self._path, self._lock = path, threading.Lock()
        self._stamp = {"state": _state(), "commit": _commit()}
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        self.by_name: dict[str, dict[str, Any]] = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            result = json.loads(line)
            is_current = result["state"] == self._stamp["state"]
            if is_current or (missed and result["found"]):
                self.by_name[result["name"]] = result
            elif missed:
                self.by_name.pop(result["name"], None)

    def add(self, result: dict[str, Any]) -> None:
        with self._lock, self._path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(result | self._stamp) + "\n")
            self.by_name[result["name"]] = result | self._stamp

    def is_known(self, name: str) -> bool:
        return name in self.by_name

    def is_found(self, names: Sequence[tuple[str, str]]) -> bool:
        """Whether a bug was found in one of the ops that it was planted for."""
        return any(self.by_name.get(name, {}).get("found") for _, name in names)


def _state() -> str:
    """A digest of all that a result depends on here."""
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "no commit"


# -- the report ------------------------------------------------------------------------------------


def reasons(path: Path) -> dict[str, str]:
    """Bugs with reasons: pairs of lines, the reason indented.

    The name of one begins with its op, or with `*` for all.
    """
    found, name = {}, ""
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("    "):
            found[name] = line.strip()
        elif line and not line.startswith("#"):
            name = line
    return found


def has_reason(names: Sequence[tuple[str, str]]) -> bool:
    """Whether a bug is listed with a reason, for one of its ops or for all."""
    known = reasons(EQUIVALENT) | reasons(SURVIVING)
    return any(name in known or _listed(name) in known for _, name in names)


def report(bugs: Sequence[Any], results: Results, seconds: float) -> int:
    """Print the score, by kind of bug and by family; 1 if it is below what is wanted."""
    equivalent, counted, none, untried, stale = reasons(EQUIVALENT), [], 0, 0, []
    for bug in bugs:
        tried = [results.by_name[name] for _, name in bug.names if results.is_known(name)]
        listed = {_listed(name) for _, name in bug.names} | {name for _, name in bug.names}
        if results.is_found(bug.names):
            counted.append(next(result for result in tried if result["found"]))
            stale += sorted(listed & equivalent.keys())
        elif listed & equivalent.keys():
            none += 1
        elif tried:
            counted.append(next((result for result in tried if result["changes"]), tried[0]))
        else:
            untried += 1
    for title, key in (("kind", _kind), ("family", _family)):
        _print_table(title, counted, key)
    missed = [result for result in counted if not result["found"]]
    print("\nnot found:" if missed else "")
    why = reasons(SURVIVING)
    for result in missed:
        name = result["name"]
        print(f"  {name}{'' if result['changes'] else '  (same program)'}")
        known = result.get("why") or why.get(name) or why.get(_listed(name))
        print(f"      {known or 'no reason is known'}")
    for name in stale:
        print(f"found, but listed as no bug: {name}")
    share = 1 - len(missed) / max(len(counted), 1)
    found = len(counted) - len(missed)
    print(f"\n{len(counted)} bugs, {found} found, {share:.1%}; {none} are none (equivalent.txt); "
          f"{untried} not tried; {seconds:.0f} s")  # fmt: skip
    commits = Counter(result["commit"] for result in counted)
    print("ran on " + ", ".join(f"{commit} ({n})" for commit, n in commits.most_common()))
    return 0 if share >= WANTED and not stale and not untried else 1


def _listed(name: str) -> str:
    """The name of a bug for all ops."""
    return f"* {name.partition(' ')[2]}"


def _print_table(title: str, counted: Sequence[Any], key: Callable[[Any], str]) -> None:
    rows = defaultdict(list)
    for result in counted:
        rows[key(result)].append(bool(result["found"]))
    print(f"\n{title:28}{'bugs':>6}{'found':>7}")
    for name in sorted(rows):
        print(f"{name:28}{len(rows[name]):>6}{sum(rows[name]):>7}")


def _kind(result: dict[str, Any]) -> str:
    return result.get("kind", "crash")


def _family(result: dict[str, Any]) -> str:
    from anvl.dialect.core.op_registry import OPS

    return OPS[result["op"]].__module__.rpartition(".")[2]
