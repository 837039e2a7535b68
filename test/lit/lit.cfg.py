"""How lit runs the tests in this folder: `lit test/lit`, from anywhere."""

# ruff: noqa: F821 - lit defines `config` and `lit_config`

import importlib.util
import os
import pathlib
import subprocess
import sys

from anvl.testing.lit import configure

configure(config, lit_config, __file__)
config.name = "anvl"
config.environment["ANVL_CACHE"] = "0"  # nothing is written to the home directory
config.suffixes += [".py"]
config.excludes += ["support", "lit.cfg.py"]
config.test_exec_root = os.path.join(config.test_source_root, "..", "..", "out", "lit")

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

if importlib.util.find_spec("jax"):
    config.available_features.add("jax")
