"""Ops that have another form on GPUs: lowered for one, lifted, and run here."""

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl.passes import pipeline

SIZES = np.asarray([0.0, 1e-44, 1e-38, 1e-25, 1e-14, 1.0, 1e17, 1e19, 2e38, np.inf, np.nan])


def text_for(platform, f, x):
    traced = anvl.jit(f).trace(x)
    module = traced.program.module
    pipeline(traced.program.captured, platform=platform).run(module)
    return str(module)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_a_norm_on_a_gpu_takes_no_choice_that_the_host_waits_for(dtype):
    """One pass has the sums of three scales, of which each row has the one within the range."""
    scale = 1.0 if dtype != "f8" else 1e260
    rows = (SIZES[:, None] * scale * [0.6, -0.8]).astype(dtype.replace("c8", "f4"))
    rows = rows.view(dtype)  # a complex number of two

    def lengths(x):
        return anp.linalg.norm(x, axis=1)

    text = text_for("cuda", lengths, rows)
    assert "stablehlo.if" not in text and "stablehlo.if" in text_for("cpu", lengths, rows)
    found = np.asarray(anvl.from_stablehlo(text)(rows))
    tiny = np.finfo(found.dtype).smallest_subnormal
    wanted = np.asarray(lengths(rows))
    np.testing.assert_allclose(found, wanted, rounding(PROGRAM, dtype), 2 * tiny)
    np.testing.assert_allclose(wanted[5:9], SIZES[5:9] * scale, rounding(PROGRAM, dtype))


def test_a_softmax_for_a_gpu_has_no_choice_behind_its_sum():
    """XLA makes one kernel of it then, and three with one."""
    text = text_for("cuda", anvl.nn.softmax, np.ones((2, 3), "f4"))
    assert "stablehlo.select" not in text and "is_finite" not in text
