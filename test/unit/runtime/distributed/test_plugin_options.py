"""What the client of a plugin is made with in a process of a job."""

import pytest

from anvl.runtime.distributed import processes
from anvl.runtime.distributed.environment import Job
from anvl.runtime.distributed.processes import _devices, _Group, plugin_options

JOB = Job("h:1", 4, 2, 1, "SLURM")
CLIENT = object()


def _group(job, given=None, client=CLIENT):
    made = _Group(job, _devices(given, job))
    made.client = client
    return made


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (None, {}),
        # Of the GPUs of its host, by default the one of its number there.
        (_group(JOB), {"visible_devices": [1], "node_id": 2, "num_nodes": 4}),
        (_group(JOB, [2, 3]), {"visible_devices": [2, 3], "node_id": 2, "num_nodes": 4}),
        (_group(Job("h:1", 4, 2, None, "the arguments")), {"node_id": 2, "num_nodes": 4}),
        # Alone in its job, it has no one to find.
        (_group(Job("h:1", 1, 0, None, "the arguments"), [3], None), {"visible_devices": [3]}),
    ],
)
def test_options_of_a_plugin(monkeypatch, group, expected):
    monkeypatch.setattr(processes, "_group", group)
    assert plugin_options(True) == (expected, None if group is None else group.client)
    assert plugin_options(False) == ({}, None)  # it has no collectives between processes
