"""Jobs of two processes over loopback: their devices, their end, and what the launcher does."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from jobs import run_job

import anvl
import anvl.runtime as rt

PROGRAM = """
import os, signal, sys
import numpy as np
import anvl
import anvl.runtime as rt
from anvl.runtime.array import make_array
from anvl.runtime.sharding.shards import assembled

def attempt(work):
    try:
        work()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")

anvl.distributed.initialize(heartbeat_timeout=5)
me = anvl.distributed.process_index()
devices = rt.embedded_client().all_devices
n = len(devices)
place = rt.sharded_placement(devices, (n,))
kind = rt.array_type((n,), "float32", place)
parts = [rt.put(np.full(1, 2.0**i, "float32"), devices[i].placement) for i in place.addressable]
x = make_array(kind, assembled(kind, [part.buffer for part in parts]))
total = rt.compile('''
  func.func @main(%x: tensor<Nxf32> {mhlo.sharding = "{devices=[N]<=[N]}"})
      -> (tensor<f32> {mhlo.sharding = "{replicated}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<Nxf32>, tensor<f32>) -> tensor<f32>
    return %y : tensor<f32>
  }'''.replace("N", str(n)), place)
"""

WELL = """
print(me, anvl.distributed.process_count(), anvl.distributed.is_initialized(), sys.argv[1:])
print(len(anvl.devices()), n, devices[0].is_addressable, devices[-1].is_addressable)
print(total.execute([x])[0].item())
attempt(x.numpy)
attempt(anvl.distributed.initialize)
attempt(lambda: anvl.Mesh({"x": len(anvl.devices())}))
anvl.distributed.barrier("end")
anvl.distributed.shutdown()
attempt(lambda: anvl.distributed.barrier("after"))
print(rt.put(np.arange(3)).numpy().sum())  # this process alone goes on
"""

DIES = """
total.execute([x])[0].block_until_ready()
if me == 1:
    {death}
try:
    while True:
        total.execute([x])[0].block_until_ready()
except anvl.DistributedError as error:
    print(error)
    attempt(lambda: total.execute([x]))
    raise
"""


@pytest.mark.sweep(keep=0)  # `test_training_jobs.py` has most of it
def test_a_job_of_two_processes(tmp_path):
    job = run_job(tmp_path, PROGRAM + WELL, arguments=["-n", "x y"])
    assert job.code == 0, job.err
    assert job.err == ""
    for process in (0, 1):
        *found, unreadable, twice, idle, left, alone = job.lines_of(process)
        assert found == [
            f"{process} 2 True ['-n', 'x y']",
            f"4 8 {process == 0} {process == 1}",
            "255.0",
        ]
        assert "has shards on devices of other processes" in unreadable
        assert twice.startswith(f"DistributedError: initialize: this process is process {process} ")
        assert idle == (
            "ShardingError: mesh: 'x=4' takes the first 4 of the 8 devices of 2 processes, and "
            "none of process 1; anvl.device_count() counts those of all processes, and devices= "
            "names others"
        )
        assert left == ("DistributedError: barrier: this process has left its job by shutdown()")
        assert alone == "3"
    assert "Gloo" not in job.out


@pytest.mark.sweep(keep=0, part=0)  # as those below; half a minute
@pytest.mark.parametrize(
    ("death", "code", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", 137, "its connection was closed: the process has"),
        ("raise KeyError('a bad batch')", 1, "it ended by KeyError: 'a bad batch'"),
        ("sys.exit(3)", 3, "it ended by sys.exit(3)"),
        (
            "raise SystemExit(0)",
            1,
            "process 1 has ended as it should, without an error, and a program has",
        ),
        # The others end first, so theirs is the code; the launcher then stops it.
        ("os.kill(os.getpid(), signal.SIGSTOP)", 1, "has given no sign of life for 5 seconds"),
    ],
)
def test_a_process_ends_or_stops_and_the_other_one_ends_with_an_error(
    tmp_path, death, code, reason
):
    job = run_job(tmp_path, PROGRAM + DIES.format(death=death))
    assert job.code == code, job.err
    first, second = job.lines_of(0)
    assert reason in first
    assert first.endswith("start all of them again, from the last checkpoint")
    assert second.startswith("DistributedError: execute: ")  # at once, from then on
    assert "[0] anvl.runtime.errors.DistributedError: " in job.err


@pytest.mark.sweep(keep=0, part=0)  # `test_training_jobs.py` has the like
def test_process_0_dies_and_the_others_end_with_an_error(tmp_path):
    death = "os.kill(os.getpid(), signal.SIGKILL)"
    job = run_job(tmp_path, PROGRAM + DIES.replace("me == 1", "me == 0").format(death=death))
    assert job.code == 137, job.err
    assert re.search(r"process 0 \(.*, pid \d+\): its connection was closed", job.lines_of(1)[0])


OTHERS = """
sums, means = (anvl.jit(lambda x, n=n: (x * n).sum()) for n in (1, 2))
x = anvl.device_put(np.ones(8), anvl.sharding.Sharding(anvl.Mesh({{"x": 8}}), "x"))
sums(x), means(x)
try:
    {calls}
except anvl.DistributedError as error:
    print(error)
    raise
"""


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ("while True: (sums, means)[me](x).item()", "the processes disagree, at call "),
        ("anvl.jit(lambda x: (x * me).sum())(x)", "at the first call of a program: process 0 and"),
        ("anvl.device_put(np.full(8, me), x.sharding)", "process 0 gives i64[8], process 1 i64[8]"),
        (
            "sums(x).item() if me else anvl.device_put(np.ones(8), x.sharding)",
            "after call 3 of both, <lambda>(f64[8] over Sharding(Mesh(x=8), P('x')))",
        ),
    ],
)
def test_processes_that_call_different_things_end_with_an_error(tmp_path, calls, message):
    job = run_job(tmp_path, PROGRAM + OTHERS.format(calls=calls))
    assert job.code == 1, job.err
    for process in (0, 1):
        assert message in job.lines_of(process)[0], job.out


@pytest.mark.sweep(keep=0, part=0)
def test_a_job_that_ends_at_once_hears_that_its_calls_differed(tmp_path):
    job = run_job(tmp_path, PROGRAM + OTHERS.format(calls="(sums, means)[me](x)"))
    assert job.code == 1, job.err
    for process in (0, 1):
        assert f"[{process}] DistributedError: shutdown: the processes disagree, at" in job.err


@pytest.mark.sweep(keep=0)
def test_signals_reach_all_and_their_code_is_returned(tmp_path):
    (tmp_path / "program.py").write_text(
        "import anvl, time\nanvl.distributed.initialize()\nprint('ready', flush=True)\n"
        "time.sleep(100)\n"
    )
    command = [sys.executable, "-m", "anvl.distributed.launch", "-n", "2"]
    job = subprocess.Popen([*command, str(tmp_path / "program.py")], stdout=subprocess.PIPE)
    assert job.stdout is not None
    with job.stdout as said:
        assert sorted([said.readline(), said.readline()]) == [b"[0] ready\n", b"[1] ready\n"]
        job.send_signal(signal.SIGTERM)
        assert job.wait(60) == 128 + signal.SIGTERM


@pytest.mark.sweep(keep=0, part=0)
def test_without_its_launcher_a_job_ends(tmp_path):
    (tmp_path / "program.py").write_text(
        "import anvl, os\nanvl.distributed.initialize(heartbeat_timeout=2)\n"
        "print(os.getpid(), flush=True)\nanvl.distributed.barrier(f'{os.getpid()}', timeout=90)\n"
    )
    command = [sys.executable, "-m", "anvl.distributed.launch", "-n", "2"]
    job = subprocess.Popen([*command, str(tmp_path / "program.py")], stdout=subprocess.PIPE)
    assert job.stdout is not None
    with job.stdout as said:
        pids = [int(said.readline().split()[1]) for _ in range(2)]
    job.kill()
    job.wait(60)
    until = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-n", "0", "x.py"], "launch: -n must be at least 1, got 0"),
        (
            ["-n", "1", "x.py"],
            "launch: there is no file 'x.py'; give a script, or a module with -m",
        ),
        (["-n", "1", "--nodes", "2", "x"], "launch: --nodes needs --coordinator-address=host:port"),
        (["-n", "1", "--node", "1", "x"], "launch: --node must be one of 0 to 0 (--nodes), got 1"),
    ],
)
def test_arguments_of_the_launcher_are_checked(capsys, arguments, message):
    from anvl.distributed.launch import main

    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(message)


def test_after_a_device_was_used_no_job_is_joined():
    rt.devices()
    with pytest.raises(anvl.DistributedError, match="this process has used a device already; call"):
        anvl.distributed.initialize("127.0.0.1:1", 2, 0)
    assert not anvl.distributed.is_initialized()
    anvl.distributed.shutdown()  # nothing to leave


def test_seconds_are_checked(monkeypatch):
    monkeypatch.setattr("anvl.runtime.distributed.processes.has_client", lambda: False)
    with pytest.raises(TypeError, match="heartbeat_timeout must be a number of seconds, got 'x'"):
        anvl.distributed.initialize("h:1", 2, 0, heartbeat_timeout="x")
    with pytest.raises(ValueError, match="initialization_timeout must be between 0 and 1000000 se"):
        anvl.distributed.initialize("h:1", 2, 0, initialization_timeout=0)
    for given in ("01", 3, [-1], [True]):
        message = f"local_device_ids must be whole numbers from 0, got {re.escape(repr(given))}"
        with pytest.raises(TypeError, match=message):
            anvl.distributed.initialize("h:1", 2, 0, local_device_ids=given)
