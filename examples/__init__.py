"""Programs to read, run and copy: `python -m anvl.examples` lists them."""

if __name__ != "anvl.examples":
    raise ImportError("import `anvl.examples`, not the source folder `examples`")

__all__: list[str] = []
