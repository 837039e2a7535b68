"""`anvl.checkpointing`: the state of a run on disk, from which it goes on, on another mesh as well.

    anvl.checkpointing.save(folder, step, tree)
    step, tree, metadata = anvl.checkpointing.restore(folder, like=tree)

(`anvl.checkpoint` is something else: what a derivative recomputes.)  The page
`docs/checkpointing.md` has an example.
"""

from anvl.checkpointing.restoring import CheckpointWarning as CheckpointWarning
from anvl.checkpointing.restoring import Restored as Restored
from anvl.checkpointing.restoring import latest_step as latest_step
from anvl.checkpointing.restoring import restore as restore
from anvl.checkpointing.restoring import steps as steps
from anvl.checkpointing.saving import save as save
from anvl.runtime import hide_frames_of as _hide_frames_of

__all__ = ["CheckpointWarning", "Restored", "latest_step", "restore", "save", "steps"]

_hide_frames_of(__all__, globals())


def __dir__() -> list[str]:
    return list(__all__)
