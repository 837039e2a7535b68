"""Which modules an import or a first call loads, and which it leaves for those that need them."""

import subprocess
import sys

import pytest

BENCHMARKED = "import anvl, anvl.numpy as np; jit, grad = anvl.jit, anvl.grad"

#: Modules of Python that an import leaves out, each with what needs it.
OF_PYTHON = {
    "difflib": "messages",
    "fractions": "loops",
    "hashlib": "the cache on disk",
    "html": "notebooks",
    "json": "the cache on disk",
    "socket": "jobs of several processes",
    "subprocess": "programs from elsewhere",
    "tempfile": "jobs of several processes",
    "urllib.request": "nothing",
}
#: The same of anvl.
OF_ANVL = {
    "anvl.docstrings.of_numpy": "functions of anvl.numpy",
    "anvl.dispatch.lowering": "the first program",
    "anvl.dispatch.padding.buckets": "jit(bucket=...)",
    "anvl.numpy.analysis.numpy_long_forms": "calls with rare parameters",
    "anvl.numpy.analysis.polynomials": "its functions",
    "anvl.numpy.functions.elementwise": "its functions, as operators",
    "anvl.numpy.linear.fourier": "anvl.numpy.fft",
    "anvl.numpy.linear.matrix_functions": "anvl.numpy.linalg",
    "anvl.passes": "the first program",
    "anvl.passes.pad": "jit(bucket=...)",
    "anvl.passes.roll": "the first program",
    "anvl.runtime.distributed.processes": "jobs of several processes",
    "anvl.runtime.distributed.waiting": "jobs of several processes",
    "anvl.runtime.handlers.call_frames": "callbacks of plugins",
    "anvl.runtime.plugins.pjrt_api": "plugins",
    "anvl.runtime.plugins.start_plugin": "plugins",
}


def after(code: str, printed: str) -> str:
    """The last line that a new process prints, at the end of a program."""
    program = f"import sys\n{code}\nprint({printed})"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def loaded(code: str) -> set[str]:
    """The modules that a new process has loaded at the end of a program."""
    return {*after(code, "*sys.modules").split()}


def test_anvl_alone_loads_no_numpy_no_mlir_and_no_other_part_of_itself():
    found = loaded("import anvl")
    assert {name for name in found if name.startswith("anvl")} == {
        "anvl", "anvl.core", "anvl.core.importing",
    }  # fmt: skip
    assert not found & {"numpy", "torch_mlir", "jaxlib"}


def test_an_import_loads_no_more_than_all_programs_need():
    assert not loaded(BENCHMARKED) & {*OF_PYTHON, *OF_ANVL, "jaxlib"}


def test_a_function_loads_its_own_module_and_few_others():
    found = loaded(f"{BENCHMARKED}; np.sin")
    assert "anvl.numpy.functions.elementwise" in found
    assert not {name for name in found if name.startswith("anvl.numpy.analysis")}
    assert not {name for name in found if name.startswith("anvl.numpy.linear")}


def test_a_call_with_rare_parameters_loads_the_table_of_these():
    table = "'anvl.numpy.analysis.numpy_long_forms' in sys.modules"
    code = "import anvl.numpy as np; np.linspace(0, 1, 5"
    assert after(f"{code})", table) == "False"
    assert after(f"{code}, retstep=True)", table) == "True"


@pytest.mark.parametrize("first", ["np.row_stack", "np.vstack", "np.linalg.matmul", "np.absolute"])
def test_names_of_one_function_are_one_whichever_is_loaded_first(first):
    pairs = "np.row_stack is np.vstack, np.abs is np.absolute, np.linalg.matmul is np.matmul"
    assert after(f"import anvl.numpy as np; {first}", pairs) == "True True True"


#: Threads that begin at once, each of which appends what an expression gives.
THREADS = """
import threading, anvl.numpy as np
from anvl.runtime import Array
sys.setswitchinterval(1e-6)
found, start = [], threading.Barrier(8)
def read():
    start.wait()
    found.append({})
threads = [threading.Thread(target=read) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


@pytest.mark.parametrize("read", ["np.max", "np.linalg.svd", "Array.sum", "Array.__add__"])
def test_threads_that_read_a_name_first_get_one_function(read):
    assert after(THREADS.format(read), "len(found), len(set(map(id, found)))") == "8 1"


def test_a_method_is_made_when_it_is_read_and_then_stands_in_its_class():
    kinds = "type(vars(Array)['cumsum']).__name__"
    code = "import anvl.numpy; from anvl.runtime import Array"
    assert after(code, kinds) == "_Later"
    assert after(f"{code}; Array.cumsum", kinds) == "function"
    assert after(f"{code}; print(anvl.numpy.ones(2).cumsum())", kinds) == "function"


def test_a_name_that_a_program_sets_stays_when_others_of_its_module_are_read():
    code = "import anvl.numpy as np\nnp.cos = mine = lambda x: x\nnp.sin"
    assert after(code, "np.cos is mine") == "True"


def test_only_anvl_numpy_has_what_its_table_lists():
    code = "import anvl.numpy as np, importlib; from anvl.numpy.name_table import NAMES"
    listed = "{(m, n) for m in NAMES for n in NAMES[m].split()}"
    own = (
        "{(m, n) for m in np._MODULES for n in importlib.import_module('anvl.numpy.' + m).__all__}"
    )
    assert after(code, f"{listed} == {own}") == "True"


# Collections while modules are loaded


def test_collections_go_on_after_an_import():
    assert after(f"import gc; {BENCHMARKED}", "gc.isenabled()") == "True"


def test_who_has_switched_collections_off_has_them_off_after_an_import():
    assert after(f"import gc; gc.disable(); {BENCHMARKED}", "gc.isenabled()") == "False"


def test_collections_go_on_after_an_import_that_fails():
    code = """
import gc
from anvl.core.importing import load_module
try:
    load_module("anvl.no_such_module")
except ModuleNotFoundError:
    pass
"""
    assert after(code, "gc.isenabled()") == "True"


def test_no_collection_runs_while_modules_of_anvl_are_loaded():
    """But for those between two such loads, and one when all is loaded."""
    code = f"""
import gc, numpy, ml_dtypes
runs = []
gc.callbacks.append(lambda phase, info: runs.append(phase))
{BENCHMARKED}
"""
    assert int(after(code, "len(runs) // 2")) < 20  # without the pause, 100


def test_no_collection_looks_at_what_was_loaded():
    code = f"""
import gc, numpy, ml_dtypes
sizes = [0]
gc.callbacks.append(
    lambda phase, info: phase == "start" and sizes.append(len(gc.get_objects(generation=0)))
)
{BENCHMARKED}
garbage = [[] for _ in range(2000)]  # of which the next collection looks
"""
    assert int(after(code, "max(sizes)")) < 5_000  # of 60,000 that were loaded


def test_objects_that_a_program_has_frozen_stay_frozen():
    code = f"import gc, numpy; gc.freeze(); before = gc.get_freeze_count(); {BENCHMARKED}"
    assert after(code, "gc.get_freeze_count() > 0.9 * before > 1000") == "True"


def test_two_threads_that_import_different_modules_first_come_to_an_end():
    """Each held Python's lock of its module, waited for ours, and the other for that module."""
    code = """
import anvl, importlib, threading
both = threading.Barrier(2)

def load(name):
    both.wait()
    importlib.import_module(name)

threads = [threading.Thread(target=load, args=(name,)) for name in ("anvl.numpy.fft", "anvl.nn")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    assert after(code, "float(anvl.nn.relu(anvl.numpy.sin(0.0)))") == "0.0"
