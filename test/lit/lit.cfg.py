"""How lit runs the tests in this folder: `lit test/lit`, from anywhere."""

# ruff: noqa: F821 - lit defines `config` and `lit_config`

import importlib.util
import os
import pathlib
import subprocess
import sys

import lit.formats

config.name = "anvl"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["Inputs", "Output", "support", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.test_source_root, "..", "..", "out", "lit")

if importlib.util.find_spec("psutil"):  # what lit enforces time limits with
    config.maxIndividualTestTime = lit_config.maxIndividualTestTime or 60

# The tools of the environment that lit itself runs in, be it activated or not.
_bin = os.path.dirname(sys.executable)
config.environment["PATH"] = os.pathsep.join([_bin, config.environment.get("PATH", "")])
for _name in ("HOME", "JAX_PLATFORMS", "TF_CPP_MIN_LOG_LEVEL"):
    if _name in os.environ:
        config.environment[_name] = os.environ[_name]

_run = f"{sys.executable} -m anvl.tools.run.run_tool"
_numbers = f"{sys.executable} -m anvl.tools.dev.check_numbers"
if hasattr(os, "fork") and not os.environ.get("ANVL_LIT_NO_SERVER"):
    # One process imports the tools and forks a child a run: a fifth of the time.
    _server = os.path.join(config.test_source_root, "support", "server.py")
    lit_config.anvl_server = subprocess.Popen(
        [sys.executable, _server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    _tools = lit_config.anvl_server.stdout.readline().rstrip("\n")
    if not _tools:
        lit_config.fatal(f"{_server} did not start; ANVL_LIT_NO_SERVER=1 does without it")
    config.environment["PATH"] = os.pathsep.join([_tools, config.environment["PATH"]])
    sys.path.append(os.path.dirname(_server))
    import served

    served.install(pathlib.Path(_tools))
    _run, _numbers = "anvl-run", "anvl-numbers"

# A path of LLVM's own FileCheck here has it read the tests: they are written for both.
_filecheck = os.environ.get("ANVL_LIT_FILECHECK", "filecheck")

config.substitutions += [
    (r"\b(FileCheck|filecheck)\b", f"{_filecheck} --dump-input=fail"),
    ("%PYTHON", sys.executable),
    ("%run", _run),
    ("%numbers", _numbers),
]

if importlib.util.find_spec("jax"):
    config.available_features.add("jax")
