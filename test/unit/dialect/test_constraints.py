"""Each constraint of StableHLO's specification is refused in our words, by name."""

import pytest
from constraints import Row, check_row, ids
from constraints_indexing import ROWS as INDEXING
from constraints_shape import ROWS as SHAPE
from constraints_windows import ROWS as WINDOWS

ROWS = [*INDEXING, *SHAPE, *WINDOWS]


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_refused(row: Row) -> None:
    check_row(row)
