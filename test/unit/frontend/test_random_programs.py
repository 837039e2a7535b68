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

# Compared with NumPy one by one (numpy/test_staples*.py, numpy/test_array_api.py), not drawn yet.
NOT_DRAWN |= dict.fromkeys(
    """
    np.__array_namespace_info__ np.apply_along_axis np.apply_over_axes np.argwhere
    np.array2string np.array_equiv np.array_repr np.array_str np.asanyarray
    np.asarray_chkfinite np.ascontiguousarray np.asfortranarray np.bartlett np.base_repr
    np.binary_repr np.bincount np.blackman np.broadcast_shapes np.can_cast np.choose
    np.common_type np.compress np.copyto np.diag_indices np.diag_indices_from np.dsplit
    np.einsum_path np.extract np.fill_diagonal np.finfo np.flatnonzero
    np.format_float_positional np.format_float_scientific np.from_dlpack np.frombuffer
    np.fromfile np.fromfunction np.fromiter np.fromstring np.genfromtxt np.geomspace
    np.get_printoptions np.geterr np.geterrcall np.hamming np.hanning np.histogram
    np.histogram2d np.histogram_bin_edges np.histogramdd np.iinfo np.indices np.info
    np.intersect1d np.iscomplexobj np.isdtype np.isfortran np.isnat np.isrealobj np.isscalar
    np.issubdtype np.iterable np.ix_ np.kaiser np.linalg.cond np.linalg.matrix_rank
    np.linalg.tensorinv np.linalg.tensorsolve np.load np.loadtxt np.mask_indices
    np.may_share_memory np.min_scalar_type np.minmax np.mintypecode np.nonzero np.piecewise
    np.place np.poly np.polydiv np.polyfit np.printoptions np.promote_types np.put np.put_along_axis
    np.putmask np.ravel_multi_index np.real_if_close np.require np.result_type np.roots
    np.row_stack np.save np.savetxt np.savez np.savez_compressed np.set_printoptions
    np.setdiff1d np.seterr np.seterrcall np.setxor1d np.shares_memory np.show_config
    np.show_runtime np.sort_complex np.spacing np.tril_indices np.tril_indices_from
    np.trim_zeros np.triu_indices np.triu_indices_from np.typename np.union1d np.unique
    np.unique_all np.unique_counts np.unique_inverse np.unique_values np.unravel_index
    np.vectorize
    """.split(),
    "compared one by one",
)


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("first", range(0, 180, 30))
def test_fixed_programs_are_right_in_every_way(first):
    result = campaign.run(seed=11, first=first, count=30, group=30)
    assert not result.findings, "\n\n".join(map(str, result.findings))
    assert result.counts["run: xla"] >= 27
    assert result.counts["run: interpreter"] >= 16


@pytest.mark.sweep(keep=0)
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


@pytest.mark.sweep(keep=0, part=0)
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
