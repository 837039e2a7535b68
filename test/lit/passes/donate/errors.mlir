// RUN: not anvl-opt %s --anvl-donate="args=0" 2>&1 | filecheck %s --check-prefix=MAIN
// RUN: not anvl-opt %s --anvl-donate="function=outside args=0" 2>&1 | filecheck %s --check-prefix=BODY
// RUN: not anvl-opt %s --anvl-donate="function=f args=0,3" 2>&1 | filecheck %s --check-prefix=RANGE

// MAIN: error: anvl-donate: there is no function @main with a body; name one by function=
// BODY: error: anvl-donate: there is no function @outside with a body; name one by function=
// RANGE: errors.mlir:8:{{.*}}error: anvl-donate: args has 3, but @f has 1 arguments
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func private @outside(tensor<f32>) -> tensor<f32>
