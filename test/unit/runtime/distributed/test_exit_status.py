"""A process that ends by `sys.exit` knows with which status, at exit."""

import subprocess
import sys

import pytest

PROGRAM = """
import atexit, sys
from anvl.runtime.distributed.exit_status import failure, watch_exit

watch_exit()
atexit.register(lambda: print(failure()))
try:
    sys.exit(7)
except SystemExit as error:
    assert error.code == 7
{end}
"""


@pytest.mark.parametrize(
    ("end", "code", "found"),
    [
        ("", 0, "None"),
        ("sys.exit()", 0, "None"),
        ("sys.exit(3)", 3, "sys.exit(3)"),
        ("exit(3)", 3, "sys.exit(3)"),
        ("quit()", 0, "None"),
        ("sys.exit('bad data')", 1, "sys.exit('bad data')"),
    ],
)
def test_the_status_is_known_at_exit(end, code, found):
    command = [sys.executable, "-c", PROGRAM.format(end=end)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (code, found)
