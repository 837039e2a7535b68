// RUN: anvl-opt %s --anvl-probe --anvl-probe | filecheck %s
// RUN: not anvl-opt %s --anvl-probe="function=g" 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not anvl-opt %s --anvl-probe="op=2" 2>&1 | filecheck %s --check-prefix=POSITION
// RUN: not anvl-opt %s --anvl-probe="op=-2" 2>&1 | filecheck %s --check-prefix=NEGATIVE

// Probing what is probed counts the same once more, and nothing besides: counts are integers.

// CHECK: -> (tensor<f64>, tensor<1x2xi32>, tensor<1x2xi32>)

// NAME: anvl-probe: there is no function @g with a body; the module has @main
// POSITION: anvl-probe: op 2 is out of range for the 1 ops of @main
// NEGATIVE: anvl-probe: op -2 is out of range for the 1 ops of @main
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.log"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
