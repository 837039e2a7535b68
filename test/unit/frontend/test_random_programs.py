"""Random programs: fixed ones are right in every way; planted bugs are found, and made small."""

import subprocess
import sys

import numpy as np
import pytest
from found_programs import FOUND

import anvl.numpy as anp
import anvl.prim
import anvl.windows
from anvl.testing.random_programs import Program, campaign, driver, examine
from anvl.testing.random_programs.draw_programs.generate import TABLE, generated
from anvl.testing.random_programs.draw_programs.primitives import LEFT_OUT, calls

# Functions of no array, and what is no function of arrays.
NOT_DRAWN = {
    "np.array": "a copy of its argument, as np.copy, which is drawn",
    "np.asarray": "the same",
    "np.empty": "np.empty_like is drawn",
    "np.ndim": "gives a Python number",
    "np.shape": "gives a Python tuple",
    "np.size": "gives a Python number",
}


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("first", range(0, 180, 30))
def test_fixed_programs_are_right_in_every_way(first):
    result = campaign.run(seed=11, first=first, count=30, group=30)
    assert not result.findings, "\n\n".join(map(str, result.findings))
    assert result.counts["run: xla"] >= 27
    assert result.counts["run: interpreter"] >= 16


def test_found_programs_stay_right():
    found = examine(text for _, text in FOUND)
    assert not found, "\n\n".join(map(str, found))


def test_every_public_function_is_drawn():
    drawn = {name.split()[0] for name in TABLE}
    spaces = {"np": anp, "np.linalg": anp.linalg, "np.fft": anp.fft, "anvl.windows": anvl.windows}
    public = {
        f"{prefix}.{name}"
        for prefix, module in spaces.items()
        for name in module.__all__
        if callable(getattr(module, name)) and not isinstance(getattr(module, name), type)
    }
    assert public - drawn == set(NOT_DRAWN)
    assert set(anvl.prim.primitives()) == set(calls()) | set(LEFT_OUT)


def test_a_seed_draws_the_same_program():
    assert str(generated((3, 4)).program) == str(generated((3, 4)).program)


def test_a_program_reads_back_from_its_text():
    for i in range(20):
        program = generated((5, i)).program
        again = Program.parse(str(program))
        assert str(again) == str(program)
        for x, y in zip(program.inputs.values(), again.inputs.values(), strict=True):
            assert x.dtype == y.dtype
            np.testing.assert_array_equal(x, y)


# Each is one line that plants a bug, a word of the step that shows it, and the ways that find it.
PLANTED = {
    "a sign in a derivative": (
        "OPS['anvl.sin'].passes = (lambda g, x, y: E.neg(E.mul(g, E.cos(x))),)",
        "sin(", "slopes",
    ),
    "a permutation in a batch rule": (
        "OPS['anvl.transpose'].batch = classmethod(lambda cls, xs, batched, permutation:"
        " cls.build(xs[0], permutation=(0, *(p + 1 for p in sorted(permutation)))))",
        "", "batch",
    ),
    "a missing term": (
        "OPS['anvl.mul'].passes = (OPS['anvl.mul'].passes[0], lambda g, x, y, z: E.times(g, 0.0))",
        "", "slopes",
    ),
    "a wrong fold": (
        "OPS['anvl.mul'].simplify = classmethod(lambda cls, xs, makers: xs[0])",
        "", "curvature",
    ),
    "a wrong lowering of a dtype": (
        "lower = OPS['anvl.pow'].lower\n"
        "OPS['anvl.pow'].lower = classmethod(lambda cls, hlo, x, y:"
        " lower(hlo, y, x) if 'f32' in str(x.type) else lower(hlo, x, y))",
        "", "interpreter",
    ),
}  # fmt: skip

_PLANT = """
from anvl.dialect.core.op_registry import OPS
import anvl.dialect.ops.elementwise.elementary as E
{plant}
from anvl.testing.random_programs.driver import find
finding = find(seed=1, kind={kind!r}, most=400, word={word!r})
print(finding.kind)
print(finding.program)
"""


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(("plant", "word", "kind"), PLANTED.values(), ids=PLANTED)
def test_a_planted_bug_is_found_and_made_small(plant, word, kind):
    code = _PLANT.format(plant=plant, kind=kind, word=word)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.strip().splitlines()
    # LAPACK complains of what a bug hands to it.
    found, *lines = [line for line in said if "** On entry to" not in line]
    assert found == kind
    assert len(lines) <= 5, done.stdout
    # It is the bug that was found: without it the program is right.
    assert not examine(["\n".join(lines)])


def test_ctrl_c_ends_a_campaign_with_the_counts_so_far(monkeypatch, capsys, tmp_path):
    def process(seed, first, count, seconds, options, total, out):
        if total["programs"]:
            raise KeyboardInterrupt
        total["programs"] += count
        return count

    monkeypatch.setattr(driver, "_run_worker", process)
    assert driver.main(["--seed", "1", "--count", "5000", "--out", str(tmp_path)]) == 0
    assert "1000 programs in" in capsys.readouterr().out
