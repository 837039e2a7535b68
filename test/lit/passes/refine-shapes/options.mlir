// RUN: not anvl-opt %s --anvl-refine-shapes="function=mian" 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not anvl-opt %s --anvl-refine-shapes="types=tensor<?xf32>" 2>&1 | filecheck %s --check-prefix=STATIC
// RUN: not anvl-opt %s --anvl-refine-shapes="types=5xf32" 2>&1 | filecheck %s --check-prefix=TYPE

// NAME:   error: anvl-refine-shapes: there is no function @mian, did you mean 'main'?
// STATIC: options.mlir:8:1: error: anvl-refine-shapes: @main: type 0 is tensor<?xf32>, but must be static
// TYPE:   options.mlir:8:1: error: anvl-refine-shapes: @main: type 0 is '5xf32', which is no type of MLIR
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
