"""Settings: where a value comes from, blocks that overlap, wrong names and wrong values."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator

import pytest

from anvl.runtime.settings import (
    Setting,
    Settings,
    number,
    one_of,
    programs_version,
    setting,
    switch,
    watch_programs,
)


class Mine(Settings):
    """Declared here: the environment variables are ANVL_TEST_..."""

    test_level = Setting(number(1), 3, "How much.")
    test_switch = Setting(switch, True, "Whether.")
    test_policy = Setting(one_of("retrace", "warn", "off"), "retrace", "How.")


mine = Mine()


@pytest.fixture(autouse=True)
def as_declared() -> Iterator[None]:
    yield
    for name in mine.settings():
        delattr(mine, name)


def told(capsys) -> list[list[str]]:
    mine.describe()
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_a_value_comes_from_the_nearest_that_gives_one(monkeypatch, capsys):
    assert (mine.test_level, mine.test_switch) == (3, True)
    del mine.test_level
    monkeypatch.setenv("ANVL_TEST_LEVEL", "4")
    assert mine.test_level == 4
    assert told(capsys)[1] == ["test_level", "4", "ANVL_TEST_LEVEL"]
    mine.test_level = 5
    assert told(capsys)[1] == ["test_level", "5", "set"]
    with mine(test_level=6):
        assert told(capsys) == [
            ["setting", "value", "from"],
            ["test_level", "6", "with", "block"],
            ["test_policy", "'retrace'", "default"],
            ["test_switch", "True", "default"],
        ]
    del mine.test_level
    assert mine.test_level == 4


@pytest.mark.parametrize("text", ["0", "off", "False", "no", " NO "])
def test_a_switch_is_read_from_the_environment(text, monkeypatch):
    monkeypatch.setenv("ANVL_TEST_SWITCH", text)
    assert mine.test_switch is False


def test_an_empty_variable_does_not_count(monkeypatch):
    monkeypatch.setenv("ANVL_TEST_LEVEL", "")
    assert mine.test_level == 3


@pytest.mark.parametrize(
    ("name", "value", "kind", "message"),
    [
        ("test_level", 0, ValueError, "must be a whole number, 1 or more, got 0"),
        ("test_level", True, TypeError, "must be a whole number, 1 or more, got True"),
        ("test_switch", 1, TypeError, "must be True or False .*, got 1"),
        ("test_policy", "Warn", ValueError, "must be 'retrace', 'warn' or 'off', got 'Warn'"),
        ("test_policy", None, TypeError, "must be 'retrace', 'warn' or 'off', got None"),
    ],
)
def test_a_wrong_value_says_which_are_allowed_and_changes_nothing(name, value, kind, message):
    before = getattr(mine, name)
    with pytest.raises(kind, match=rf"^config\.{name}: {message}"):
        setattr(mine, name, value)
    with pytest.raises(kind, match=rf"^config\({name}=\): {message}"):
        mine(**{name: value})  # refused at once, not when the block is entered
    assert getattr(mine, name) == before


@pytest.mark.parametrize(
    ("variable", "text"),
    [("TEST_LEVEL", "many"), ("TEST_LEVEL", "0"), ("TEST_SWITCH", "2"), ("TEST_POLICY", "error")],
)
def test_a_wrong_value_in_the_environment_names_the_variable(variable, text, monkeypatch):
    monkeypatch.setenv(f"ANVL_{variable}", text)
    for _ in range(2):
        with pytest.raises(ValueError, match=f"^ANVL_{variable}: must be .*, got '?{text}"):
            getattr(mine, variable.lower())


def test_an_unknown_name_is_an_error_with_the_nearest_one():
    near = "^config: no setting 'test_levle'; did you mean 'test_level'?"
    with pytest.raises(AttributeError, match=near):
        mine.test_levle = 3
    with pytest.raises(AttributeError, match=near):
        mine.test_levle  # noqa: B018
    with pytest.raises(AttributeError, match=near):
        mine(test_levle=3)
    with pytest.raises(AttributeError, match="no setting 'x'; the settings are test_level, test_p"):
        mine.x = 3
    with pytest.raises(AttributeError, match="no setting 'describe'"):
        mine.describe = None


def test_blocks_hold_in_their_thread_and_task_alone():
    seen = []

    async def task(level):
        with mine(test_level=level):
            await asyncio.sleep(0)
            seen.append(mine.test_level == level)

    async def main():
        await asyncio.gather(*map(task, range(1, 4)))

    with mine(test_level=9):
        thread = threading.Thread(target=lambda: seen.append(mine.test_level == 3))
        thread.start()
        thread.join()
        asyncio.run(main())
        assert mine.test_level == 9
    assert seen == [True] * 4


def test_blocks_may_end_in_any_order():
    def suspended(level):
        with mine(test_level=level):
            yield mine.test_level

    first, second = suspended(4), suspended(5)
    assert [next(first), next(second), mine.test_level] == [4, 5, 5]
    first.close()
    assert mine.test_level == 5
    equal = suspended(5)
    next(equal)
    equal.close()
    assert mine.test_level == 5
    with contextlib.ExitStack() as stack:
        stack.enter_context(mine(test_level=6, test_switch=False))
        second.close()
        assert (mine.test_level, mine.test_switch) == (6, False)
    assert (mine.test_level, mine.test_switch) == (3, True)


def test_a_block_decorates_a_function_that_calls_itself():
    @mine(test_level=7)
    def levels(depth):
        return [*(levels(depth - 1) if depth else ()), mine.test_level]  # after the inner call

    assert levels(2) == [7, 7, 7]
    assert mine.test_level == 3


def test_assignment_within_a_block_is_for_the_process():
    with mine(test_level=6):
        mine.test_level = 8
        assert mine.test_level == 6
    assert mine.test_level == 8


def test_the_values_are_shown():
    assert repr(mine) == "config(test_level=3, test_policy='retrace', test_switch=True)"
    assert Mine.test_level.__doc__ == "How much."


@pytest.fixture
def watched(monkeypatch) -> Iterator[list]:
    """What the runtime is told, while `test_kept` is the only setting that changes programs."""
    told = []
    monkeypatch.setattr(setting, "_in_programs", {})
    monkeypatch.setattr(setting, "_process_version", (-1, 0))
    monkeypatch.setattr(setting, "_set_variant", setting._set_variant)
    monkeypatch.setattr(setting, "_forget_programs", setting._forget_programs)
    watch_programs(told.append, lambda: told.append("forget"))
    yield told


def test_equal_settings_have_equal_versions(watched):
    class Programs(Mine):
        test_kept = Setting(number(), 0, "What is traced.", changes_programs=True)

    settings = Programs()
    plain = programs_version()
    with settings(test_level=5):  # changes no program
        assert programs_version() == plain
    with settings(test_kept=1):
        one = programs_version()
        assert one != plain
        with settings(test_kept=0):
            assert programs_version() == plain
    assert watched == [None, None, one, plain, one, None]
    watched.clear()
    settings.test_kept = 1
    assert watched == ["forget", None]
    assert programs_version() == one
    settings.test_level = 2
    assert watched == ["forget", None]


def test_a_block_follows_settings_that_change_for_the_process(watched):
    class Programs(Settings):
        test_a = Setting(number(), 0, "One.", changes_programs=True)
        test_b = Setting(number(), 0, "Another.", changes_programs=True)

    settings = Programs()

    def change():
        settings.test_b = 1

    with settings(test_a=1):
        before = programs_version()
        thread = threading.Thread(target=change)
        thread.start()
        thread.join()
        after = programs_version()
        assert after != before
        with settings(test_b=0):
            assert programs_version() == before
        assert programs_version() == after
