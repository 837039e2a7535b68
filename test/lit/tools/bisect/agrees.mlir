// RUN: anvl-opt %s -p "cse,anvl-simplify,anvl-lower-to-stablehlo" --anvl-bisect -o %t.bisected 2>&1 | filecheck %s
// RUN: anvl-opt %s -p "cse,anvl-simplify,anvl-lower-to-stablehlo" -o %t.plain
// RUN: diff %t.bisected %t.plain
// RUN: not anvl-opt %s --cse --anvl-bisect --anvl-validate-each 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not anvl-opt %s --cse --anvl-bisect --verify-each=0 2>&1 | filecheck %s --check-prefix=INVALID
// RUN: not anvl-opt %s --cse --anvl-bisect=functions=g 2>&1 | filecheck %s --check-prefix=NAME

// Where there is no difference, that is said, and the output is what it is without the flag.

// CHECK: remark: anvl-bisect: no pass changes the results of @f on the inputs drawn

// TWICE:   anvl-opt: error: --anvl-bisect compares what --anvl-validate-each does; give one
// INVALID: anvl-opt: error: --anvl-bisect executes valid IR only; leave out --verify-each=0
// NAME:    error: anvl-bisect: there is no function @g; the module has @f
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
