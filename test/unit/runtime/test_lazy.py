"""What is made when it is first used: once, in whatever thread, with all that waited for it."""

import threading
import time
from types import SimpleNamespace

import pytest

from anvl.runtime.lazy import Lazy


def test_it_is_made_when_an_attribute_is_read_and_kept():
    made = []

    def make() -> SimpleNamespace:
        made.append(SimpleNamespace(x=1, y=2))
        return made[-1]

    lazy = Lazy(make)
    assert not made
    assert (lazy.x, lazy.y, lazy.x) == (1, 2, 1)
    assert len(made) == 1


def test_what_waits_is_called_when_it_is_made_and_later_at_once():
    lazy = Lazy(lambda: SimpleNamespace(heard=[]))
    lazy.when_created(lambda made: made.heard.append("before"))
    assert lazy.heard == ["before"]
    lazy.when_created(lambda made: made.heard.append("after"))
    assert lazy.heard == ["before", "after"]


def test_what_fails_to_be_made_is_tried_again():
    attempts = iter([ImportError("no jaxlib"), SimpleNamespace(x=1)])

    def make() -> SimpleNamespace:
        found = next(attempts)
        if isinstance(found, ImportError):
            raise found
        return found

    lazy = Lazy(make)
    with pytest.raises(ImportError, match="no jaxlib"):
        _ = lazy.x
    assert lazy.x == 1


def test_an_attribute_that_is_missing_is_the_objects_own_error():
    with pytest.raises(
        AttributeError, match=r"'types\.SimpleNamespace' object has no attribute 'z'"
    ):
        _ = Lazy(SimpleNamespace).z


def test_threads_make_it_once():
    made = []

    def make() -> SimpleNamespace:
        time.sleep(0.01)  # the others arrive
        made.append(SimpleNamespace(x=1))
        return made[-1]

    lazy = Lazy(make)
    threads = [threading.Thread(target=lambda: lazy.x) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
