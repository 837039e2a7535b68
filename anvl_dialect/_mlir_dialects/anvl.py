# Found by MLIR's dialect search (see anvl.dialect.mlir): its presence makes every op view cheap.
