"""Settings: declared once each, read anywhere, set for the process or within a `with` block."""

from anvl.runtime.settings.kinds import Kind, byte_count, folder, number, one_of, or_none, switch
from anvl.runtime.settings.runtime_settings import (
    MOST_CPU_DEVICES,
    MOST_CPU_THREADS,
    RuntimeSettings,
    runtime_settings,
)
from anvl.runtime.settings.setting import (
    Setting,
    Settings,
    programs_version,
    settings_of_version,
    watch_programs,
)

__all__ = [
    "MOST_CPU_DEVICES",
    "MOST_CPU_THREADS",
    "Kind",
    "RuntimeSettings",
    "Setting",
    "Settings",
    "byte_count",
    "folder",
    "number",
    "one_of",
    "or_none",
    "programs_version",
    "runtime_settings",
    "settings_of_version",
    "switch",
    "watch_programs",
]
