"""Tandem repeats in sequences of numbers."""

import random

import pytest

from anvl.passes.rolling.periods import Run, repeats


def test_a_stretch_is_found_with_its_period_and_what_it_saves():
    runs = repeats([7, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 9], 3)
    assert runs == [Run(1, 3, 11)]
    assert runs[0].saved == 6  # the two last numbers are no whole repetition


def test_nothing_repeats():
    assert repeats(list(range(100)), 2) == []
    assert repeats([], 2) == []
    assert repeats([1, 1, 1, 1], 5) == []


def test_one_number_over_and_over_has_the_period_one():
    assert repeats([5] * 9, 4)[0] == Run(0, 1, 9)


def test_the_longest_repetition_comes_first_and_its_parts_follow():
    inner = [1, 2] * 4 + [3]
    first, *others = repeats(inner * 5, 4)
    assert first == Run(0, len(inner), 5 * len(inner))
    assert any(run.period == 2 for run in others)


def test_a_repetition_of_repetitions_is_found_whose_parts_all_come_up_again_sooner():
    # As the stages of a method of Runge and Kutta do in each step.
    step = [*[0, 1, 2, 3, 4, 5, 6] * 4, 8, 7, 8, 7, 8, 7]
    first = repeats(step * 20, 4)[0]
    assert first == Run(0, len(step), 20 * len(step))


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_repetition_is_found(seed):
    draw = random.Random(seed)
    period, count = draw.randint(1, 30), draw.randint(4, 12)
    body = [draw.randint(0, 40) for _ in range(period)]
    before = [draw.randint(50, 1000) for _ in range(draw.randint(0, 50))]
    after = [draw.randint(1001, 2000) for _ in range(draw.randint(0, 50))]
    runs = repeats([*before, *body * count, *after], 4)
    covered = Run(len(before), period, period * count)
    assert any(
        run.start == covered.start and period % run.period == 0 and run.length >= covered.length
        for run in runs
    )
