"""The tests that run where not all do."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from sweep import chosen, few_of_each_file


class Item(NamedTuple):
    """A test, as pytest describes it; `marks` are the keywords of its mark `sweep`."""

    path: Any
    nodeid: str
    marks: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        return self.nodeid.partition("::")[2]

    def get_closest_marker(self, name: str) -> Any:
        return SimpleNamespace(kwargs=dict(self.marks)) if self.marks else None


def cases(path: str, count: int, **marks: int) -> list[Item]:
    return [Item(Path(path), f"{path}::test_it[{i}]", tuple(marks.items())) for i in range(count)]


def counts(
    items: list[Item], *, named: bool = False, again: bool = False, **long_tests: int
) -> tuple[int, int]:
    """How many run in `make test`, and in `make sweep-part`; the same each time."""
    by_name = {f"{name}.py::test_it": keep for name, keep in long_tests.items()}

    def run(mode: str) -> set[Item]:
        return chosen(items, mode, lambda _: named, lambda _: again, by_name)

    assert run("") == run("") and run("part") == run("part")
    assert run("") | run("part") <= set(items)
    return len(run("")), len(run("part"))


@pytest.mark.parametrize(
    ("marks", "wanted"),
    [
        ({"keep": 8}, (8, 1)),
        ({"keep": 8, "part": 20}, (8, 20)),
        ({"keep": 8, "part": 0}, (8, 0)),
        ({"keep": 0, "part": 0}, (0, 0)),
        ({"keep": 0, "part": 200}, (0, 60)),
    ],
)
def test_a_mark_says_how_many_cases_run_and_no_case_runs_twice(marks, wanted):
    items = cases("a.py", 60, **marks)
    assert counts(items) == counts(items, named=True, a=1) == wanted
    both = [chosen(items, mode, lambda _: False, lambda _: False, {}) for mode in ("", "part")]
    assert not both[0] & both[1]


def test_of_tests_that_make_test_has_none_of_the_part_has_an_eighteenth():
    of_test, of_part = counts(cases("a.py", 300, keep=0))
    assert of_test == 0 and 6 < of_part < 30


def test_tests_without_a_mark_run_and_one_in_three_hundred_by_xla_too():
    of_test, of_part = counts(cases("a.py", 2000))
    assert of_test == 2000 and 1 < of_part < 16
    assert counts(cases("a.py", 1000), again=True) == (1000, 0)


def test_files_in_thirds_run_whole_where_they_are_named():
    items = cases("test_scipy_x.py", 900)
    of_test, of_part = counts(items)
    assert 250 < of_test < 350 and 2 < of_part < 16
    assert counts(items, named=True)[0] == 900


def test_long_tests_run_as_many_cases_as_the_list_says_but_where_they_are_named():
    assert counts(cases("a.py", 60), a=9) == (9, 1)
    assert counts(cases("a.py", 60), a=0)[0] == 0
    assert counts(cases("a.py", 60), a=9, named=True)[0] == 60


def items(path: str, count: int) -> set[Item]:
    return {Item(path, f"{path}::test_{i}") for i in range(count)}


def test_about_one_in_36_of_the_tests_and_the_same_each_time() -> None:
    chosen = few_of_each_file(items("a.py", 200), set())
    assert 1 < len(chosen) < 20 and chosen == few_of_each_file(items("a.py", 200), set())


def test_each_file_has_a_test_also_one_whose_tests_are_all_left_to_the_part() -> None:
    for_test = set().union(*(items(f"{i}.py", 1) for i in range(9)))
    for_part = items("long.py", 2)
    chosen = few_of_each_file(for_test, for_part | items("0.py", 3))
    assert {item.path for item in chosen} == {item.path for item in for_test | for_part}
    assert len(chosen) == 10
