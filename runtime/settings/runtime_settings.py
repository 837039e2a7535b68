"""The settings of the runtime.  Adding one is one line; the frontend adds its own to these."""

from __future__ import annotations

from anvl.runtime.settings.kinds import byte_count, folder, number, or_none, switch
from anvl.runtime.settings.setting import Setting, Settings

__all__ = ["MOST_CPU_DEVICES", "MOST_CPU_THREADS", "RuntimeSettings", "runtime_settings"]


#: XLA numbers the devices of a CPU client of process p from 2048 p on.
MOST_CPU_DEVICES = 2048
MOST_CPU_THREADS = 2048


class RuntimeSettings(Settings):
    """Settings that the runtime reads."""

    cache: Setting[bool] = Setting(
        switch, True, "Compiled programs are kept on disk for the next process."
    )
    cache_dir: Setting[str | None] = Setting(
        folder, None, "Folder of these; None is `$XDG_CACHE_HOME/anvl`, or `~/.cache/anvl`."
    )
    cache_max_bytes: Setting[int] = Setting(
        byte_count, 2**31, "Bytes of the folder, beyond which the least recently used are removed."
    )
    cpu_async_dispatch: Setting[bool] = Setting(
        switch,
        True,
        "Calls of programs on the CPU return before these are done; read as `num_cpu_devices` is.",
    )
    num_cpu_devices: Setting[int] = Setting(
        number(1, MOST_CPU_DEVICES),
        1,
        "Devices of a new CPU client; read when the first array or program is made.",
    )
    num_cpu_threads: Setting[int | None] = Setting(
        or_none(number(1, MOST_CPU_THREADS)),
        None,
        "Threads that compile and run the programs of a new CPU client; None: one for each core "
        "that the process may use.",
    )
    progress: Setting[bool] = Setting(
        switch,
        True,
        "A line on the terminal, or in a notebook, while XLA compiles for more than two seconds.",
    )
    traceback_filtering: Setting[bool] = Setting(
        switch, True, "Tracebacks end at your own line; without it they show anvl's frames, too."
    )


#: The settings of the runtime, and those alone: `anvl.config` has these and the frontend's.
runtime_settings: RuntimeSettings = RuntimeSettings()
