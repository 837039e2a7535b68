"""Python as on a system without `fork`, `/proc` and `sysconf`, such as Windows.

A folder in PYTHONPATH: so child processes, which anvl starts too, are the same.
"""

import builtins
import io
import os
import signal
import subprocess  # it takes from `os` what this system has, before that is gone
import sys

subprocess._USE_POSIX_SPAWN = False  # which is true of newer Pythons

_OF_OS = (
    "fork", "forkpty", "posix_spawn", "posix_spawnp", "register_at_fork", "sysconf",
    "sysconf_names", "confstr", "sched_getaffinity", "sched_setaffinity", "getuid", "geteuid",
    "getgid", "getpgid", "setsid", "killpg", "nice", "getloadavg", "mkfifo", "wait", "wait3",
    "wait4", "fchmod", "pread", "pwrite", "statvfs",
)  # fmt: skip
_OF_SIGNAL = ("setitimer", "getitimer", "alarm", "ITIMER_PROF", "ITIMER_REAL", "pthread_sigmask")
_MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "tty")


def _hiding(function):
    def hidden(path, *args, **kwargs):
        if isinstance(path, str | os.PathLike) and os.fspath(path).startswith(("/proc", "/sys")):
            raise FileNotFoundError(2, "there is none on this system", os.fspath(path))
        return function(path, *args, **kwargs)

    return hidden


for module, names in ((os, _OF_OS), (signal, _OF_SIGNAL)):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
for name in _MODULES:
    sys.modules[name] = None
for name in ("open", "stat", "lstat", "listdir", "scandir", "readlink", "access"):
    setattr(os, name, _hiding(getattr(os, name)))
builtins.open = io.open = _hiding(open)
