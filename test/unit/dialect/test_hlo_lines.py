"""Statistics of a compiled program by source line."""

import inspect

import numpy as np
import pytest

import anvl
import anvl.numpy as anp
from anvl.dialect.text.hlo_lines import LineStatistics, line_statistics

X = np.ones((64, 64), np.float32)


def model(x, w):
    product = x @ w
    squares = anp.sin(product) * anp.exp(product)
    return product @ squares


FIRST = inspect.getsourcelines(model)[1]


def test_each_line_has_what_it_writes():
    found = anvl.jit(model).lower(X, X).compile().line_statistics()
    by_line = {of.where: of for of in found}
    product, squares, second = (by_line[f"{__file__}:{FIRST + i}"] for i in (1, 2, 3))
    assert [of.bytes_written for of in (product, squares, second)] == [X.nbytes] * 3
    assert squares.instructions >= 3 and product.instructions >= 1
    assert found == sorted(found, key=lambda of: -of.bytes_written)


TEXT = """\
HloModule main, is_scheduled=true

FileNames
1 "a.py"
2 "b.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=2 function_name_id=1 line=7 end_line=7 column=9 end_column=9}
2 {file_name_id=1 function_name_id=1 line=8 end_line=8 column=9 end_column=9}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=1}

%fused (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  %a = f32[4]{0} sine(%p), metadata={op_name="a" stack_frame_id=1}
  ROOT %b = f32[4]{0} cosine(%a), metadata={source_file="c.py" source_line=3}
}

%region (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %s = f32[] add(%x, %y), metadata={op_name="s" stack_frame_id=2}
}

%body (t: (s32[], f32[4])) -> (s32[], f32[4]) {
  %t = (s32[], f32[4]{0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %v = f32[4]{0} get-tuple-element(%t), index=1
  %n = bf16[4,2]{1,0} broadcast(%i), metadata={op_name="n" stack_frame_id=2}
  %w = f32[4]{0} fusion(%v), kind=kLoop, calls=%fused
  ROOT %r = (s32[], f32[4]{0}) tuple(%i, %w)
}

%condition (t.1: (s32[], f32[4])) -> pred[] {
  %t.1 = (s32[], f32[4]{0}) parameter(0)
  ROOT %less = pred[] custom-call(%t.1), custom_call_target="less"
}

ENTRY %main (x.1: (s32[], f32[4])) -> (f32[4], pred[3], s4[5]) {
  %x.1 = (s32[], f32[4]{0}) parameter(0)
  %loop = (s32[], f32[4]{0}) while(%x.1), condition=%condition, body=%body
  %y.1 = f32[4]{0} get-tuple-element(%loop), index=1
  %sum = f32[] reduce(%y.1, %y.1), dimensions={0}, to_apply=%region
  ROOT %all = (f32[4]{0}, /*index=1*/pred[3]{0}, s4[5]{0:E(4)}) custom-call(%y.1), custom_call_target="all", metadata={op_name="z" stack_frame_id=1}
}
"""  # noqa: E501


def test_all_forms_of_a_place_and_all_kinds_of_computations():
    assert line_statistics(TEXT) == [
        LineStatistics("a.py:8", 2, 16 + 3 + 3),  # of the tuple; not the sine, which is fused
        LineStatistics("b.py:7", 3, 16 + 4),  # bf16[4,2], and the sum at the place of its reducer
        LineStatistics("c.py:3", 1, 16),  # the fusion, at the place of its root
        LineStatistics("", 2, 1),  # the loop, and its condition
    ]


def test_without_metadata_all_is_in_one_row():
    text = "\n".join(line.partition(", metadata")[0] for line in TEXT.splitlines())
    (only,) = line_statistics(text)
    assert only == ("", 8, 16 + 3 + 3 + 16 + 4 + 16 + 1)


@pytest.mark.parametrize("text", ["", "HloModule main", "no module\n{\n}"])
def test_other_texts_have_no_lines(text):
    assert line_statistics(text) == []
