"""Sets of elements, the `dependence` rule of each op against its Jacobian, and planted faults."""

import zlib

import numpy as np
import pytest
from sweep import SWEEP

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.sparsity.index_sets import ALL, EMPTY, IndexSets
from anvl.testing.dependence_check import DependenceCheck
from anvl.testing.draw import Draw
from anvl.testing.op_check import Examination
from anvl.testing.program import Program


def members(sets, ids):
    """Each set as a set of Python's."""
    rows, columns = sets.pairs(ids.reshape(-1))
    return [set(columns[rows == i].tolist()) for i in range(ids.size)]


# Sets


def test_unions_are_those_of_sets_and_equal_sets_have_one_number():
    random = np.random.default_rng(3)
    sets = IndexSets(7)
    known = sets.singles()
    for _ in range(60):
        a, b = random.choice(known, 4), random.choice(known, (3, 1))
        found = sets.union(a, b)
        wanted = [x | y for y in members(sets, b) for x in members(sets, a)]
        assert members(sets, found) == wanted
        known = np.unique(np.concatenate([known, found.reshape(-1)]))
    contents = [frozenset(x) for x in members(sets, known)]
    assert len(set(contents)) == len(contents)
    assert contents[list(known).index(ALL)] == set(range(7))


def test_reductions_and_empty_arrays():
    sets = IndexSets(6)
    x = sets.singles().reshape(2, 3)
    assert members(sets, sets.reduced(x, (0,))) == [{0, 3}, {1, 4}, {2, 5}]
    assert members(sets, sets.reduced(x, (0, 1))) == [set(range(6))]
    assert sets.reduced(x, (0, 1)) == ALL
    assert sets.reduced(x[:, :0], (1,)).tolist() == [EMPTY, EMPTY]
    assert sets.reduced(x[:, :0], (0,)).shape == (0,)
    assert IndexSets(0).singles().size == 0
    assert IndexSets(1).singles().tolist() == [ALL]


def test_sets_with_one_hash_stay_apart():
    sets = IndexSets(6)
    sets._weights[:] = 1
    x = sets.singles()
    assert members(sets, sets.union(x, x[::-1])) == [{i, 5 - i} for i in range(6)]


def test_above_the_limit_a_set_is_of_all_elements():
    sets = IndexSets(100, limit=200)
    x = sets.singles()
    pairs = sets.union(x[:-1], x[1:])
    assert sets.union(pairs[:-1], pairs[1:]).tolist() == [ALL] * 98


# Ops


def examined(name):
    with context(), ir.Location.unknown():
        calls = OPS[name].sample(Draw(name))
        if not any(DependenceCheck.applies(OPS[name], call) for call in calls):
            return None
        return Examination(OPS[name], calls, {}, "none", checks=[DependenceCheck])


def has_rule(rules):
    return rules.has_rule("dependence") and rules.has_rule("sample") and rules.has_rule("tangent")


#: What `make test` tries: ops of each kind, that take little time.
SHORT = set(
    """anvl.cumsum anvl.dot_general anvl.dynamic_slice anvl.fft anvl.gather anvl.max anvl.mul
    anvl.pad anvl.slice anvl.softmax anvl.sum anvl.transpose stablehlo.concatenate
    stablehlo.sort""".split()
)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=[]
            if name in SHORT
            else [pytest.mark.sweep(keep=0, part=zlib.crc32(name.encode()) % 2)],
        )
        for name in sorted(OPS)
        if has_rule(OPS[name])
    ],
)
def test_no_derivative_is_outside_of_the_pattern_of_a_rule(name, monkeypatch):
    monkeypatch.setattr(Program, "interprets_all", not SWEEP)
    found = examined(name)
    if found is not None:
        assert not found.findings.problems, "\n".join(found.findings.problems)


def test_an_answer_of_another_shape_is_refused(monkeypatch):
    rule = classmethod(lambda cls, deps, xs, /, **params: xs[0])
    monkeypatch.setattr(OPS["anvl.sum"], "dependence", rule)
    (problem,) = examined("anvl.sum").findings.problems
    assert "anvl.sum: its dependence rule gave arrays of [(2, 3)], not [(2,)]" in problem


def first_only(cls, deps, xs, /, **params):
    """A planted fault: what is combined depends on its first element alone."""
    x = xs[0]
    return x[tuple(slice(0, 1) for _ in x.shape)].reshape(-1)[0] + np.zeros(deps.shapes[0], int)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("anvl.sum", first_only),
        ("anvl.cumsum", lambda cls, deps, xs, /, **params: xs[0]),
        ("anvl.transpose", lambda cls, deps, xs, /, **params: xs[0].reshape(deps.shapes[0])),
        ("anvl.softmax", lambda cls, deps, xs, /, **params: xs[0]),
        ("anvl.pad", lambda cls, deps, xs, /, **params: np.zeros(deps.shapes[0], int)),
    ],
)
def test_a_rule_with_too_small_a_pattern_is_found(name, rule, monkeypatch):
    monkeypatch.setattr(Program, "interprets_all", True)
    monkeypatch.setattr(OPS[name], "dependence", classmethod(rule))
    problems = examined(name).findings.problems
    assert problems and all("the rule says that there is none" in text for text in problems)
