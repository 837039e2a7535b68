"""The attributes of declarations that ask for transformations; passes write what they ask for.

Here, below the passes, so that a program can be traced before any pass is loaded.
"""

__all__ = ["JVP", "LINEAR_TRANSPOSE", "VJP", "VMAP"]

#: A function declared as the reverse mode of another, as its forward mode, as its batch.
VJP, JVP, VMAP = "anvl.vjp", "anvl.jvp", "anvl.vmap"

#: One declared as the transpose of another, which is linear.
LINEAR_TRANSPOSE = "anvl.linear_transpose"
