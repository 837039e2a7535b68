"""anvl: trace Python, differentiate it with MLIR passes, run it on PJRT."""
if __name__ != "anvl":
    raise ImportError("import `anvl`, not the source folder `frontend`")
