# Found by MLIR's dialect search (see `core/mlir.py`): its presence makes every op view cheap.
