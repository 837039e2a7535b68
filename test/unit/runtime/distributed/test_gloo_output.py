"""Lines of Gloo's on stdout, and those of others."""

import os

import pytest

from anvl.runtime.distributed.gloo_output import without_gloo, without_gloo_output

LINE = (
    b"[Gloo] Rank 0 is connected to 1 peer ranks. Expected number of connected peer ranks is : 1\n"
)
# As three threads wrote it.
MIXED = (
    b"[Gloo] Rank [Gloo] Rank 10 is connected to  is connected to 33 peer ranks. Expected number of"
    b" connected peer ranks is :  peer ranks. Expected number of connected peer ranks is : 33\n\n"
)
# As jaxlib 0.12's wrote it, in more pieces.
IN_PIECES = (
    b"[Gloo] Rank [Gloo] Rank 1 is connected to [Gloo] Rank 0 is connected to 1 peer ranks. 1 peer"
    b" ranks. 1 is connected to Expected number of connected peer ranks is : 1 peer ranks. 1\n"
    b"Expected number of connected peer ranks is : Expected number of connected peer ranks is : 1\n"
    b"1\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", b""),
        (b"3\n", b"3\n"),
        (LINE * 2, b""),
        (MIXED, b""),
        (IN_PIECES, b""),
        (b"a\n" + LINE + b"12\nb", b"a\n12\nb"),
        (b"loss 3 peer ranks\n" + LINE, b"loss 3 peer ranks\n"),
    ],
)
def test_lines_are_removed(text, expected):
    assert without_gloo(text) == expected


def test_what_others_write_follows(capfd):
    print("before")
    with pytest.raises(KeyError), without_gloo_output():
        os.write(1, LINE + b"from a library\n")
        print("meanwhile")
        raise KeyError
    print("after")
    lines = capfd.readouterr().out.splitlines()
    assert sorted(lines) == ["after", "before", "from a library", "meanwhile"]
