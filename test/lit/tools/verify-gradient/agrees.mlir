// RUN: anvl-opt %s --anvl-verify-gradient=seed=3 -o %t 2>&1 | filecheck %s
// RUN: filecheck %s --check-prefix=SAME --input-file=%t
// RUN: anvl-opt %s --anvl-verify-gradient=seed=3 -o %t2 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: diff %t %t2
// RUN: anvl-opt %s --anvl-verify-gradient="wrt=2 target=1 eps=0.001 tolerance=0.002" -o %t 2>&1 | filecheck %s --check-prefix=CHOSEN
// RUN: anvl-opt %s --anvl-verify-gradient="args=[[0.5,1],0,[[2,3]]]" -o %t 2>&1 | filecheck %s --check-prefix=GIVEN

// A line for each float argument, named by its location where that has a name: the derivative along
// a random direction three ways.  The seed decides the numbers, and the module stays as it was.

// CHECK:      anvl-verify-gradient: @main, result 0: tensor<2xf64>, seed 3
// CHECK-NEXT:   x: tensor<2xf64>, adjoint [[A:[-0-9.e]+]], tangent [[A]], difference [[A]], errors {{.*}} of 1e-06 allowed, ok
// CHECK-NEXT:   z: tensor<1x2xf32>, adjoint {{.*}} of 1e-02 allowed, ok
// CHECK-NOT:  {{.}}

// AGAIN:     seed 3
// AGAIN-NEXT: x: tensor<2xf64>, adjoint

// SAME:     func.func @main(
// SAME-NOT: func.func

// CHOSEN:      @main, result 1: tensor<1x2xf32>, seed 0
// CHOSEN-NEXT:   z: tensor<1x2xf32>, {{.*}} of 2e-03 allowed, ok
// CHOSEN-NOT:  argument

// GIVEN:     z: tensor<1x2xf32>, {{.*}}, ok
func.func @main(%x: tensor<2xf64> loc("x"), %n: tensor<i32>, %z: tensor<1x2xf32>)
    -> (tensor<2xf64>, tensor<1x2xf32>) {
  %0 = "anvl.sin"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %1 = "anvl.mul"(%0, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %2 = "anvl.sum"(%z) {axes = array<i64: 0>} : (tensor<1x2xf32>) -> tensor<2xf32>
  %3 = "anvl.convert"(%2) : (tensor<2xf32>) -> tensor<2xf64>
  %4 = "anvl.mul"(%1, %3) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %5 = "anvl.exp"(%z) : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %4, %5 : tensor<2xf64>, tensor<1x2xf32>
}
