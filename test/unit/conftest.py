"""What tests of several folders share."""

from collections.abc import Iterator

import pytest

from anvl.dialect.op import OPS


@pytest.fixture
def own_ops() -> Iterator[None]:
    """The ops that a test defines are gone for the tests after it; MLIR still knows them."""
    before = dict(OPS)
    yield
    OPS.clear()
    OPS.update(before)
