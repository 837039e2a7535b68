"""Options of XLA that are entries of a map: appended to the serialized options of a client."""

import pytest

import anvl.runtime as rt
from anvl.runtime.disk_cache.keys import program_key
from anvl.runtime.execution.backend_options import with_backend_options
from anvl.runtime.execution.compilation import compile_options

LOOP = """
func.func public @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<9> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<16xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.sine %c : tensor<16xf32>
    stablehlo.return %j, %d : tensor<i32>, tensor<16xf32>
  }
  return %r#1 : tensor<16xf32>
}"""
LOOPS = "xla_cpu_small_while_loop_byte_threshold"


class Options:
    """The options of a client, as their bytes."""

    def __init__(self, data):
        self.data = data

    def SerializeAsString(self):
        return self.data

    @staticmethod
    def ParseFromString(data):
        return Options(data)


def appended(**flags):
    found = with_backend_options(Options(b"old"), flags).data
    assert found.startswith(b"old")
    return found[3:]


def test_an_option_is_an_entry_of_a_map_in_a_message_in_a_message():
    name = LOOPS.encode()
    entry = bytes([0o12, len(name)]) + name + b"\x12\x0512345"
    inner = b"\xa2\x1f" + bytes([len(entry)]) + entry  # field 500
    assert appended(**{LOOPS: 12345}) == b"\x1a" + bytes([len(inner) + 2]) + (
        b"\x1a" + bytes([len(inner)]) + inner
    )


def test_a_length_beyond_127_takes_two_bytes():
    found = appended(**{LOOPS: "7" * 300})
    assert b"\x12\xac\x02" + b"7" * 300 == found[-303:]


def test_true_is_a_word_and_false_is_left_out():
    assert appended(xla_cpu_optimize_for_size=True).endswith(b"\x12\x04true")
    assert appended(xla_cpu_optimize_for_size=False) == b""
    assert appended(xla_backend_optimization_level=1) == b""


def test_several_are_in_the_order_of_their_names():
    found = appended(**{LOOPS: 1, "xla_cpu_optimize_for_size": True})
    assert 0 < found.index(b"optimize_for_size") < found.index(LOOPS.encode())


@pytest.mark.parametrize(("limit", "is_one"), [(0, False), (1024, True), (1 << 20, True)])
def test_xla_reads_them(limit, is_one):
    program = rt.compile(LOOP, options={LOOPS: limit, "xla_backend_optimization_level": 1})
    text = program.handle.hlo_modules()[0].to_string()
    assert ("xla_cpu_small_call" in text) == is_one


def test_a_value_that_xla_cannot_read_is_named():
    with pytest.raises(ValueError, match=rf"Failed to parse value for: {LOOPS}"):
        rt.compile(LOOP, options={LOOPS: "many"})


def test_the_other_options_stay_and_the_key_on_disk_differs():
    place = rt.default_placement().whole
    flags = {"xla_backend_optimization_level": 1}
    plain, more = compile_options(place, flags), compile_options(place, {**flags, LOOPS: 5})
    assert more.env_option_overrides == plain.env_option_overrides
    assert more.num_partitions == plain.num_partitions
    assert more.SerializeAsString()[-60:] == plain.SerializeAsString()[-60:]  # the devices, too
    assert program_key(LOOP, plain, place) != program_key(LOOP, more, place)
