"""Positions of a text, as Python, MLIR and an editor count them."""

import pytest

from anvl.tools.lsp.pieces import pieces
from anvl.tools.lsp.text_positions import ENCODINGS, TextPositions

TEXT = "ab\né😀x\r\n\u2028y\rz\n"
UNITS = {  # of the start of each character in the second line, and of its end
    "utf-16": [0, 1, 3, 4],
    "utf-8": [0, 2, 6, 7],
    "utf-32": [0, 1, 2, 3],
}


def test_all_encodings_are_tested():
    assert set(UNITS) == set(ENCODINGS)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_columns_of_an_editor_are_units_of_the_encoding(encoding):
    places = TextPositions(TEXT, encoding)
    for i, units in enumerate(UNITS[encoding]):
        assert places.in_editor(3 + i) == (1, units)
        assert places.offset(1, units) == 3 + i


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_each_offset_survives_the_way_to_the_editor_and_back(encoding):
    places = TextPositions(TEXT, encoding)
    for offset in range(len(TEXT) + 1):
        if TEXT[offset - 1 : offset + 1] != "\r\n":  # between them is no position
            assert places.offset(*places.in_editor(offset)) == offset


def test_lines_of_an_editor_end_at_carriage_returns_and_at_no_other_separators():
    places = TextPositions(TEXT)
    assert [places.line(i) for i in range(5)] == ["ab", "é😀x", "\u2028y", "z", ""]


def test_lines_of_mlir_end_at_newlines_and_columns_are_bytes():
    places = TextPositions(TEXT)
    at = {(1, 1): "a", (2, 1): "é", (2, 3): "😀", (2, 7): "x", (3, 4): "y", (3, 6): "z"}
    for (line, column), char in at.items():
        offset = places.of_mlir(line, column)
        assert TEXT[offset] == char
        assert places.to_mlir(offset) == (line, column)


def test_a_position_inside_of_a_character_is_its_start():
    assert TextPositions(TEXT).offset(1, 2) == 4
    assert TextPositions(TEXT).of_mlir(2, 5) == 4


def test_positions_outside_of_the_text_are_its_ends():
    places = TextPositions(TEXT)
    end = len(TEXT)
    assert [places.offset(*x) for x in [(-1, 0), (0, 99), (0, -1), (99, 0)]] == [0, 2, 0, end]
    assert [places.of_mlir(*x) for x in [(0, 0), (1, 99), (1, 0), (99, 1)]] == [0, 2, 0, end]
    assert [places.in_editor(x) for x in (-1, end + 1)] == [(0, 0), (4, 0)]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_pieces_have_their_offsets_and_the_lines_of_the_whole_text(newline):
    lines = ["", "a", "// -----", "", "b", " // ----- ", "// -----", "c"]
    text = newline.join(lines)
    found = pieces("f", text)
    assert [text[x.start : x.end].strip() for x in found] == ["a", "b", "", "c"]
    for piece in found:
        content = piece.chunk.content
        assert content.endswith(text[piece.start : piece.end])
        for i, line in enumerate(content.split("\n")):
            assert line.strip() in ("", lines[i].strip())
