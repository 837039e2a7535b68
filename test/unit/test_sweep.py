"""What the newest Python runs of the tests, where it does not run them all."""

from typing import NamedTuple

from sweep import every_sixth


class Item(NamedTuple):
    """What pytest says of a test."""

    path: str
    nodeid: str


def items(path: str, count: int) -> set[Item]:
    return {Item(path, f"{path}::test_{i}") for i in range(count)}


def test_about_a_sixth_of_the_tests_and_the_same_each_time() -> None:
    chosen = every_sixth(items("a.py", 100), set())
    assert 5 < len(chosen) < 35 and chosen == every_sixth(items("a.py", 100), set())


def test_each_file_has_a_test_also_one_whose_tests_are_all_left_to_the_part() -> None:
    for_test = set().union(*(items(f"{i}.py", 1) for i in range(9)))
    for_part = items("long.py", 2)
    chosen = every_sixth(for_test, for_part | items("0.py", 3))
    assert {item.path for item in chosen} == {item.path for item in for_test | for_part}
    assert len(chosen) == 10
