"""Data that threads share: what lives is listed while other threads add to it."""

import gc
import sys
import threading

from anvl.runtime.locks import WeakRegistry


class Thing:
    pass


def test_a_registry_is_listed_while_another_thread_adds():
    registry, kept, is_over = WeakRegistry(), [Thing() for _ in range(2000)], threading.Event()
    for thing in kept:
        registry.add(thing)

    def add():
        while not is_over.is_set():
            more = [Thing() for _ in range(100)]
            for thing in more:
                registry.add(thing)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(300):
            assert len(registry.living()) >= 2000
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)


def test_a_registry_keeps_nothing_alive():
    registry, kept = WeakRegistry(), Thing()
    registry.add(kept)
    registry.add(Thing())
    gc.collect()
    assert registry.living() == [kept] and len(registry._references) == 1
