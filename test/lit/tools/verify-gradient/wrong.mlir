// RUN: not anvl-opt %s --load=%S/Inputs/wrong_ops.py --anvl-verify-gradient=function=both 2>&1 | filecheck %s
// RUN: not anvl-opt %s --load=%S/Inputs/wrong_ops.py --anvl-verify-gradient=function=one_way 2>&1 | filecheck %s --check-prefix=ONE
// RUN: anvl-opt %s --load=%S/Inputs/wrong_ops.py --anvl-verify-gradient="function=both wrt=1" -o %t 2>&1 | filecheck %s --check-prefix=REST
// RUN: anvl-opt %s --load=%S/Inputs/wrong_ops.py --anvl-verify-gradient="function=both tolerance=0.02" -o %t 2>&1 | filecheck %s --check-prefix=LOOSE

// A derivative that is one percent off, in both modes alike, is found by the differences; one that
// is wrong in one mode alone also by the other mode.  Each argument is judged for itself.

// CHECK:      x: tensor<3xf64>, adjoint [[A:[-0-9.e]+]], tangent [[A]], difference
// CHECK-SAME: errors {{.*e-1[0-9]|.*0e\+00}} and {{.*}}e-0{{.}} of 1e-06 allowed, BAD
// CHECK-NEXT: y: tensor<2xf64>, {{.*}}, ok
// CHECK:      wrong.mlir:[[# @LINE + 11]]:1: error: anvl-verify-gradient: @both: of 2 derivatives, x: tensor<3xf64> is BAD
// CHECK-NOT:  module

// ONE: x: tensor<2xf32>, adjoint [[A:[0-9.e]+]], tangent -[[A]], difference -{{.*}}, BAD
// ONE: error: anvl-verify-gradient: @one_way: of 1 derivatives, x: tensor<2xf32> is BAD

// REST:     seed 0
// REST-NEXT: y: tensor<2xf64>, {{.*}}, ok

// LOOSE:     x: tensor<3xf64>, {{.*}} of 2e-02 allowed, ok

func.func @both(%x: tensor<3xf64> loc("x"), %y: tensor<2xf64> loc("y")) -> tensor<2xf64> {
  %0 = "anvl.slice"(%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 2>,
      strides = array<i64: 1>} : (tensor<3xf64>) -> tensor<2xf64>
  %1 = "wrong.off"(%0) : (tensor<2xf64>) -> tensor<2xf64>
  %2 = "anvl.mul"(%1, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %2 : tensor<2xf64>
}

func.func @one_way(%x: tensor<2xf32> loc("x")) -> tensor<2xf32> {
  %0 = "wrong.one_way"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
