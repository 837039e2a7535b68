"""`anvl-plan`: XLA's text is read, and what is predicted is what XLA says of the same programs."""

import json
import math
from pathlib import Path

import pytest

import anvl.runtime as rt
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.tools.plan.collectives import KINDS, Collective, collectives
from anvl.tools.plan.hlo_text import Shape, program
from anvl.tools.plan.machines import MACHINES, Machine, machine
from anvl.tools.plan.plan_tool import main
from anvl.tools.plan.prediction import predict, seconds_of
from anvl.tools.plan.replica_groups import groups_of, pairs_of
from anvl.tools.plan.simulated import compiled, devices_of, sharded
from anvl.tools.run.entry import lowered

# Round numbers, so that times are seen at once.
ROUND = Machine("round", 1e9, 1e9, 1e12, 4, 1e9, 1e-6, 1e8, 1e-5, {"bf16": 2e12})

DOT = (
    "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : "
    "(tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>"
)
LAYERS = f"""
func.func @main(%w: tensor<32x48xf32>, %v: tensor<48x32xf32>, %x: tensor<64x32xf32>)
    -> tensor<64x32xf32> {{
  %h = "anvl.dot_general"(%x, %w) {{dot_dimension_numbers = {DOT}
  %y = "anvl.dot_general"(%h, %v) {{dot_dimension_numbers =
    #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}}
    : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
  %z = "anvl.add"(%y, %x) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %z : tensor<64x32xf32>
}}
"""
PLANS = {
    1: "mesh=x:1",
    2: "mesh=x:2 arg2=x,-",
    4: "mesh=x:2,y:2 arg0=-,y arg1=y,- arg2=x,-",
    8: "mesh=x:2,y:4 arg0=-,y arg1=y,- arg2=x,-",
}


def lowered_text(text, plan=""):
    module = ir.Module.parse(text, context())
    if plan:
        sharded(module, plan, "main")
    return lowered(module, "main", "cpu", "lapack").text


# -- XLA's text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "bytes_"),
    [("pred", 6), ("s4", 3), ("bf16", 12), ("f8e4m3fn", 6), ("f64", 48), ("c64", 48), ("token", 0)],
)
def test_bytes_of_shapes(dtype, bytes_):
    assert Shape(dtype, (2, 3)).bytes == bytes_


TEXT = """\
HloModule main, is_scheduled=true, num_partitions=8

%body (p: (s32[], f32[8,64])) -> (s32[], f32[8,64]) {
  %p = (s32[], f32[8,64]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %y = f32[8,64]{1,0} get-tuple-element(%p), index=1
  %all = f32[64,64]{1,0} all-gather(%y), channel_id=1, replica_groups=[1,8]<=[8], dimensions={0}
  %dot = f32[8,64]{1,0} dot(%y, %all), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %t = (s32[], f32[8,64]{1,0}) tuple(%i, %dot)
}

%cond (q: (s32[], f32[8,64])) -> pred[] {
  %q = (s32[], f32[8,64]{1,0}) parameter(0)
  ROOT %less = pred[] constant(true)
}

%cheap (a: f32[8,64]) -> f32[8,64] {
  ROOT %a = f32[8,64]{1,0} parameter(0)
}

%dear (b: f32[8,64]) -> f32[8,64] {
  %b = f32[8,64]{1,0} parameter(0)
  ROOT %sine = f32[8,64]{1,0} sine(%b)
}

ENTRY %main (x: f32[8,64], c: bf16[4,6,6,3], k: bf16[3,3,3,5]) -> (f32[8,64], bf16[4,4,4,5]) {
  %x = f32[8,64]{1,0} parameter(0)
  %c = bf16[4,6,6,3]{3,2,1,0} parameter(1)
  %k = bf16[3,3,3,5]{3,2,1,0} parameter(2)
  %zero = s32[] constant(0)
  %start = (s32[], f32[8,64]{1,0}) tuple(%zero, %x)
  %loop = (s32[], f32[8,64]{1,0}) while(%start), condition=%cond, body=%body, backend_config={"known_trip_count":{"n":"5"}}
  %end = f32[8,64]{1,0} get-tuple-element(%loop), index=1
  %conv = bf16[4,4,4,5]{3,2,1,0} convolution(%c, %k), window={size=3x3}, dim_labels=b01f_01io->b01f
  %which = pred[] constant(true)
  %chosen = f32[8,64]{1,0} conditional(%which, %end, %end), branch_computations={%cheap, %dear}
  %moved = f32[8,64]{1,0} collective-permute(%chosen), source_target_pairs={{0,1},{1,0}}, metadata={source_file="net.py" source_line=7}
  ROOT %out = (f32[8,64]{1,0}, bf16[4,4,4,5]{3,2,1,0}) tuple(%moved, %conv)
}
"""  # noqa: E501


def test_loops_count_as_often_as_they_run_and_of_branches_the_costliest():
    found = predict(program(TEXT), ROUND)
    products, convolved, sines = 5 * 2 * 8 * 64 * 64, 2 * (4 * 4 * 4 * 5) * 27, 8 * 64
    assert found.flops == products + convolved + sines
    assert found.compute == pytest.approx((products + sines) / 1e12 + convolved / 2e12)
    dots = 5 * 4 * (8 * 64 + 64 * 64 + 8 * 64)
    assert found.bytes == dots + 2 * (4 * 36 * 3 + 27 * 5 + 4 * 16 * 5) + 4 * 2 * 8 * 64
    gathers = 5 * seconds_of(found.collectives[0], ROUND)
    assert found.communication == pytest.approx(gathers + seconds_of(found.collectives[1], ROUND))
    assert found.step == found.local + found.communication and found.unknown_loops == 0


def test_a_loop_of_unknown_length_counts_once_and_is_told():
    text = TEXT.replace(', backend_config={"known_trip_count":{"n":"5"}}', "")
    found = predict(program(text), ROUND)
    assert found.unknown_loops == 1 and found.collectives[0].times == 1


def test_collectives_have_their_bytes_groups_lines_and_times():
    gather, permute = collectives(program(TEXT))
    assert str(gather) == "all-gather f32[64,64]: 16,384 bytes 5 times, 1 group of 8"
    assert str(permute) == "collective-permute f32[8,64]: 2,048 bytes, 2 pairs, net.py:7"


def test_a_text_without_an_entry_is_refused():
    with pytest.raises(ValueError, match="no ENTRY computation"):
        program("module {}")


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("replica_groups={{0,2},{1,3}}, x", [[0, 2], [1, 3]]),
        ("replica_groups={}, x", [[0, 1, 2, 3]]),
        ("channel_id=1", [[0, 1, 2, 3]]),
        ("replica_groups=[2,2]<=[4]", [[0, 1], [2, 3]]),
        ("replica_groups=[2,3]<=[3,2]T(1,0), x", [[0, 2, 4], [1, 3, 5]]),
        ("replica_groups=mesh['a'=2,'b'=3] {'b'}", [[0, 1, 2], [3, 4, 5]]),
        ("replica_groups=mesh['a'=2,'b'=1,'c'=2] {'a'}, x", [[0, 2], [1, 3]]),
    ],
)
def test_groups_of_devices_in_each_form(text, groups):
    assert groups_of(text, 4) == groups


def test_groups_in_another_form_are_refused_and_pairs_are_read():
    with pytest.raises(ValueError, match="a form that is not known: replica_groups=@3"):
        groups_of("replica_groups=@3, use_global_device_ids=true", 4)
    assert pairs_of("source_target_pairs={{0,1},{2,3}}, x") == [[0, 1], [2, 3]]


# -- times -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [
        ("all-reduce", 6 * (1e-3 + 1e-6)), ("all-gather", 3 * (1e-3 + 1e-6)),
        ("reduce-scatter", 3 * (1e-3 + 1e-6)), ("all-to-all", 3 * (1e-3 + 1e-6)),
        ("collective-permute", 4e-3 + 1e-6), ("collective-broadcast", 4e-3 + 1e-6),
    ],
)  # fmt: skip
def test_messages_take_the_steps_of_a_ring(kind, seconds):
    assert kind in KINDS
    within = Collective(kind, "", 4e6, ((0, 1, 2, 3), (4, 5, 6, 7)), 1, "")
    assert seconds_of(within, ROUND) == pytest.approx(seconds)
    across = Collective(kind, "", 4e6, ((0, 4, 1, 5),), 1, "")
    assert seconds_of(across, ROUND) == pytest.approx(10 * seconds)
    assert seconds_of(Collective("all-reduce", "", 4e6, ((0,), (1,)), 1, ""), ROUND) == 0


@pytest.mark.parametrize("devices", PLANS)
def test_predictions_are_what_xla_says_of_the_program_for_so_many_devices(devices):
    text = lowered_text(LAYERS, PLANS[devices])
    found = compiled(text, devices)
    client = rt.cpu_client(devices)
    place = rt.sharded_placement(client.devices, (), (0,) * devices)
    executable = rt.compile(text, place if devices > 1 else client.devices[0].placement)
    said, memory = executable.cost_analysis(), executable.memory_stats()
    predicted = predict(found.program, ROUND)
    assert found.program.partitions == devices
    assert predicted.flops == pytest.approx(said["flops"], rel=0.02)
    assert predicted.flops == pytest.approx(2 * 2 * 64 * 32 * 48 / devices, rel=0.03)
    assert found.memory == sum(
        memory[f"{part}_size_in_bytes"] for part in ("argument", "output", "temp")
    )
    rows, columns = (1, 1) if devices == 1 else (2, devices // 2)
    of_sums = [each for each in predicted.collectives if each.kind == "all-reduce"]
    if columns == 1:
        assert not predicted.collectives
    else:
        (each,) = of_sums
        assert each.size == columns and each.bytes == 4 * 64 * 32 / rows


def test_meshes_of_several_sizes_are_refused():
    text = '"mesh<[\\22x\\22=4]>" "mesh<[\\22x\\22=2, \\22y\\22=2]>" "#sdy.mesh<[\\22x\\22=4]>"'
    assert devices_of(text) == 4 and devices_of("") == 1
    assert devices_of("module @a attributes {mhlo.num_partitions = 8 : i32}") == 8
    with pytest.raises(PassError, match="its meshes have 4, 6 devices; give all of them one size"):
        devices_of(text + "mesh<[x=6]>")


# -- machines --------------------------------------------------------------------------------------

FILE = """
memory_bytes = 1e9
memory_bandwidth = 1e9
flops = 1e12
flops_of = { bf16 = 2e12 }
devices_per_node = 4
link_bandwidth = 1e9
link_latency = 1e-6
network_bandwidth = 1e8
network_latency = 1e-5
"""


def test_a_machine_is_read_from_a_file(tmp_path):
    path = tmp_path / "round.toml"
    path.write_text(FILE)
    assert machine(str(path)) == ROUND and machine("h100") is MACHINES["h100"]
    assert all(math.isfinite(each.flops_in("bf16")) for each in MACHINES.values())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("flops = 1e12\n", "", "lacks flops"),
        (
            "link_latency",
            "link_latenzy",
            r"no number 'link_latenzy', did you mean 'link_latency'\?",
        ),
        ("= 4", '= "four"', "devices_per_node is 'four'; it must be a positive number"),
        ("= 4", "= 2.5", "devices_per_node is 2.5; it must be a whole number"),
        ("flops_of = {", "flops_of = 3 #", "flops_of is 3; write it like { bf16 = 989e12 }"),
        ("bf16 =", "bf61 =", r"flops_of.bf61 is of no dtype, did you mean 'bf16'\?; XLA has bf16"),
        ("bf16 = 2e12", "bf16 = 0.0", "flops_of.bf16 is 0.0; it must be a positive number"),
        ("= 1e9", "=", "Invalid value"),
    ],
)
def test_a_wrong_description_is_refused(tmp_path, old, new, message):
    path = tmp_path / "round.toml"
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        machine(str(path))


@pytest.mark.parametrize(
    ("name", "message"),
    [("h10", r"no machine 'h10', did you mean 'h100'\?"), ("no.toml", "no.toml: No such file")],
)
def test_an_unknown_machine_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        machine(name)


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "layers.mlir"
    path.write_text(LAYERS)
    return str(path)


def test_plans_are_compared_in_a_table(file, capsys, tmp_path):
    described = tmp_path / "small.toml"
    described.write_text(FILE.replace("memory_bytes = 1e9", "memory_bytes = 20000"))
    code = main([file, f"--plan={PLANS[1]}", f"--plan={PLANS[4]}", "--collectives",
                 f"--machine={described}"])  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert code == 0
    assert lines[0].split() == "plan devices compute traffic messages step memory".split()
    assert lines[1].startswith("mesh=x:1 ") and lines[1].endswith("needs more than 20 kB")
    assert lines[2].split()[4] == "4" and "all-reduce f32[32,32]: 4,096 bytes, 2 groups of 2" in (
        line.strip() for line in lines
    )


def test_json_has_all_numbers(file, capsys):
    assert main([file, f"--plan={PLANS[2]}", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (plan,) = found["plans"]
    assert plan["devices"] == 2 and plan["step_seconds"] == plan["local"] + plan["communication"]
    assert found["machine"]["name"] == "h100"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plan=mesh=x:4096"], "the mesh takes 4096 devices, and XLA simulates at most 2048"),
        (["--plan=mesh=z"], "mesh: 'z' in 'z' is not an axis with its size"),
        (["--plan=mesh=x:2 arg9=x"], "arg9 is out of range; @main has 3"),
        (["--plan=mesh=x:2 arg0=y,-"], "axis y of spec 'y,-' is not in mesh 'x=2'"),
        (["--function=other"], "other"),
        (["--machine=h10"], "anvl-plan: error: --machine: no machine 'h10'"),
        (["--plans=x"], "--plans"),
    ],
)
def test_errors_are_of_the_plan_or_the_command_line(file, capsys, arguments, message):
    assert main([file, *arguments]) == 1
    said = capsys.readouterr()
    assert message in said.err and not said.out and "internal" not in said.err
