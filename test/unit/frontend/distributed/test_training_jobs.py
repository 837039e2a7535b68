"""A training run of several processes: numbers of one device, a death, and a restart elsewhere."""

import numpy
import pytest
from jobs import run_job

import anvl
import anvl.numpy as np
from anvl import checkpointing

DRAW = numpy.random.default_rng(0)
SHAPES = {"w": (8, 16), "v": (16, 4)}
PARAMS = {name: DRAW.normal(size=shape).astype("float32") for name, shape in SHAPES.items()}
XS, YS = (DRAW.normal(size=(16, n)).astype("float32") for n in (8, 4))
STEPS = 6

STEP = """
def step(params, x, y):
    def loss(params):
        return np.mean((np.tanh(x @ params["w"]) @ params["v"] - y) ** 2)

    value, slopes = anvl.value_and_grad(loss)(params)
    return value, anvl.tree.map(lambda p, slope: p - 0.1 * slope, params, slopes)
"""

PROGRAM = f"""
import os, signal, sys
import numpy
import anvl
import anvl.numpy as np
from anvl import checkpointing
from anvl.sharding import Mesh, P, Sharding
{STEP}
anvl.distributed.initialize(heartbeat_timeout=5)
me, n = anvl.distributed.process_index(), anvl.distributed.process_count()
folder, data, model, dies, dies_at = sys.argv[1], *map(int, sys.argv[2:])
mesh = Mesh({{"data": data, "model": model}})
given = numpy.load("GIVEN")
places = {{"w": Sharding(mesh, P(None, "model")), "v": Sharding(mesh, P("model"))}}
rows = Sharding(mesh, P("data"))
mine = slice(16 // n * me, 16 // n * (me + 1))
x, y = (anvl.distributed.make_array_from_local(rows, given[name][mine]) for name in ("x", "y"))
params, first = anvl.device_put({{name: given[name] for name in places}}, places), 0
if checkpointing.latest_step(folder) is not None:
    first, params, _ = checkpointing.restore(folder, like=params)
compiled = anvl.jit(step)
for i in range(first, {STEPS}):
    value, params = compiled(params, x, y)
    print(i, float(value).hex(), flush=True)
    if i % 2:
        checkpointing.save(folder, i + 1, params)
    if (me, i) == (dies, dies_at):
        os.kill(os.getpid(), signal.SIGKILL)
    if i == dies_at:
        try:
            compiled(params, x, y)[0].item()
            anvl.distributed.barrier("next")
        except anvl.DistributedError:
            # What was computed can be read, and this process alone goes on.
            part = params["w"].addressable_shards[0].data
            print(float(value).hex(), part.shape, (part * 0 + 1).numpy().sum() == part.size)
            raise
shapes = [(params[name].sharding.shard_shape(given[name].shape)) for name in places]
print([place.shard_shape(given[name].shape) for name, place in places.items()] == shapes, x.shape)
copies = anvl.device_put(x, Sharding(mesh)).numpy()
print(numpy.array_equal(copies, given["x"]))
for work in (x.numpy, anvl.distributed.initialize):
    try:
        print(type(work()).__name__)
    except RuntimeError as error:
        print(f"{{type(error).__name__}}: {{error}}"[:70])
anvl.distributed.barrier("end")
anvl.distributed.shutdown()
print(np.arange(3).sum())
"""


@pytest.fixture(scope="module")
def expected():
    """The losses, and the parameters after every second step, on one device."""
    names = {"anvl": anvl, "np": np}
    exec(STEP, names)
    step, params = anvl.jit(names["step"]), PARAMS
    losses, kept = [], {}
    for i in range(STEPS):
        value, params = step(params, XS, YS)
        losses.append(value.item())
        kept[i + 1] = anvl.device_get(params)
    return losses, kept


class Run:
    """The jobs of one training run, in a folder."""

    def __init__(self, folder, expected):
        self.folder, self.checkpoints = folder, folder / "run"
        self.losses, self.kept = expected
        numpy.savez(folder / "given.npz", x=XS, y=YS, **PARAMS)
        self.program = PROGRAM.replace("GIVEN", str(folder / "given.npz"))

    def job(self, count, mesh, dies=-1, dies_at=-1):
        numbers = map(str, (*mesh, dies, dies_at))
        return run_job(
            self.folder, self.program, count=count, devices=8 // count,
            arguments=[str(self.checkpoints), *numbers],
        )  # fmt: skip

    def check(self, lines, first):
        """The losses that a process printed are those of one device, from a step on."""
        found = [line.split() for line in lines]
        assert [int(i) for i, _ in found] == list(range(first, first + len(found)))
        losses = [float.fromhex(text) for _, text in found]
        expected = self.losses[first : first + len(found)]
        numpy.testing.assert_allclose(losses, expected, rtol=1e-5)


def check_run(run, count, mesh, dies, next_count, next_mesh):
    """A run whose process dies after the fourth step, and is started again, perhaps elsewhere."""
    broken = run.job(count, mesh, dies, 3)
    assert broken.code == 137, broken.err
    run.check(broken.lines_of(0)[:4], 0)
    assert len(broken.lines_of(dies)) == 4
    for process in set(range(count)) - {dies}:
        text, *read = broken.lines_of(process)[4].split(maxsplit=1)
        assert text == broken.lines_of(process)[3].split()[1]
        assert read == [f"(8, {16 // mesh[1]}) True"]
        error = f"[{process}] anvl.runtime.errors.DistributedError: "
        (line,) = [line for line in broken.err.splitlines() if line.startswith(error)]
        assert f"process {dies} (" in line and "from the last checkpoint" in line
    assert checkpointing.steps(run.checkpoints) == [2, 4]
    well = run.job(next_count, next_mesh)
    assert well.code == 0, well.err
    for process in range(next_count):
        *losses, end, is_same, unreadable, twice, alone = well.lines_of(process)
        assert (end, is_same, alone) == ("True (16, 8)", "True", "3")
        of_several = "RuntimeFailure: numpy: f32[16,8] over Sharding("
        assert unreadable.startswith("ndarray" if next_count == 1 else of_several)
        assert twice.startswith(f"DistributedError: initialize: this process is process {process} ")
        run.check(losses, 4)
    assert "Gloo" not in well.out
    for step in (2, 4, 6):  # by another program, of one process with one device
        found = checkpointing.restore(run.checkpoints, PARAMS, step=step).tree
        for name, value in found.items():
            numpy.testing.assert_allclose(value, run.kept[step][name], rtol=1e-4, atol=1e-5)


@pytest.mark.sweep(keep=0, part=1)
def test_a_process_is_killed_and_another_mesh_goes_on(tmp_path, expected):
    check_run(Run(tmp_path, expected), 2, (4, 2), 1, 2, (2, 4))


@pytest.mark.sweep(keep=0, part=0)  # ten seconds each
@pytest.mark.parametrize(
    ("count", "mesh", "dies", "next_count", "next_mesh"),
    [
        (2, (4, 2), 0, 2, (4, 2)),  # process 0, which has started the coordinator
        (2, (8, 1), 1, 1, (4, 2)),  # two processes, then one
        (1, (2, 4), 0, 4, (4, 2)),  # one, then four
        (4, (4, 2), 2, 2, (8, 1)),
        (2, (2, 4), 1, 2, (2, 4)),
    ],
)
def test_runs_of_other_meshes_and_process_counts(
    tmp_path, expected, count, mesh, dies, next_count, next_mesh
):
    check_run(Run(tmp_path, expected), count, mesh, dies, next_count, next_mesh)
