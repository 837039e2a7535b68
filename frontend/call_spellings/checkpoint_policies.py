"""`checkpoint_policies`: the policies of `checkpoint` under the names of JAX."""

from __future__ import annotations

from typing import Any

__all__ = ["CheckpointPolicies", "checkpoint_policies"]

_ELSEWHERE = {
    "offload_dot_with_no_batch_dims": "values stay on the device; give a budget",
    "save_and_offload_only_these_names": "values stay on the device; use save_only_these_names",
    "save_any_names_but_these": "name those to keep, with save_only_these_names",
    "save_anything_except_these_names": "name those to keep, with save_only_these_names",
}


class CheckpointPolicies:
    """Policies of `anvl.checkpoint` under the names of JAX; `anvl.checkpoint_policies` has them.

    `nothing_saveable`, `everything_saveable`, `dots_saveable` (also `checkpoint_dots`),
    `dots_with_no_batch_dims_saveable` (also `checkpoint_dots_with_no_batch_dims`): what is kept.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> policy = anvl.checkpoint_policies.dots_saveable
    >>> block = anvl.checkpoint(lambda x: np.sin(x @ x), policy=policy)
    >>> print(anvl.grad(lambda x: np.sum(block(x)))(np.eye(1)))
    [[1.0806046]]
    """

    nothing_saveable: Any = ()
    everything_saveable: Any = "everything"
    dots_saveable: Any = ("dot_general",)
    checkpoint_dots: Any = dots_saveable
    dots_with_no_batch_dims_saveable: Any = ("dot_general=unbatched",)
    checkpoint_dots_with_no_batch_dims: Any = dots_with_no_batch_dims_saveable

    def save_only_these_names(self, *names_which_can_be_saved: str) -> tuple[str, ...]:
        """Keep the values that `anvl.tag` has given these names."""
        return tuple(f"tag={name}" for name in names_which_can_be_saved)

    def save_from_both_policies(self, policy_1: Any, policy_2: Any) -> Any:
        """Keep what one of two policies keeps."""
        for policy in (policy_1, policy_2):
            if not isinstance(policy, tuple) and policy != "everything":
                raise TypeError(
                    f"save_from_both_policies: {policy!r} is no policy of checkpoint_policies"
                )
        if "everything" in (policy_1, policy_2):
            return "everything"
        return (*policy_1, *policy_2)

    def __reduce__(self) -> str:  # pickled or copied, it stays itself
        return "checkpoint_policies"

    def __getattr__(self, name: str) -> Any:
        advice = f"; {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        raise AttributeError(f"checkpoint_policies: there is no policy {name!r}{advice}")


#: The policies.
checkpoint_policies: CheckpointPolicies = CheckpointPolicies()
