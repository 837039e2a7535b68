// RUN: not anvl-opt %s --anvl-pad="args=0" 2>&1 | filecheck %s --check-prefix=MAIN
// RUN: not anvl-opt %s --anvl-pad="function=f args=3" 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not anvl-opt %s --anvl-pad="function=f args=0 axes=1" 2>&1 | filecheck %s --check-prefix=AXIS
// RUN: not anvl-opt %s --anvl-pad="function=f args=0 sizes=4" 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: not anvl-opt %s --anvl-pad="function=f args=0 axes=0,0" 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: not anvl-opt %s --anvl-pad="function=f args=0,1 lengths=0,0" 2>&1 | filecheck %s --check-prefix=SHARED
// RUN: not anvl-opt %s --anvl-pad="function=f args=0,1 lengths=0,2" 2>&1 | filecheck %s --check-prefix=GAP
// RUN: not anvl-opt %s --anvl-pad="function=f args=0" 2>&1 | filecheck %s --check-prefix=RULE
// RUN: not anvl-opt %s --anvl-pad="function=g args=0" 2>&1 | filecheck %s --check-prefix=FIXED
// RUN: not anvl-opt %s --anvl-pad="function=h args=0" 2>&1 | filecheck %s --check-prefix=LITERAL
// RUN: not anvl-opt %s --anvl-pad="function=k args=0" 2>&1 | filecheck %s --check-prefix=REFUSED

// MAIN: error: anvl-pad: there is no function @main with a body; name one by function=
// RANGE: error: anvl-pad: args has 3, but @f has 2 arguments
// AXIS: error: anvl-pad: argument 0 of @f is tensor<5xf32>, which has no axis 1
// SIZE: error: anvl-pad: axis 0 of argument 0 of @f has 5 elements, and cannot be padded to 4
// COUNT: error: anvl-pad: axes has 2 entries for 1 of args; give one for each
// SHARED: error: anvl-pad: axis 0 of argument 1 has 3 elements, padded to 4, and shares length 0 with one of 5, padded to 8
// GAP: error: anvl-pad: lengths are [0, 2]; number them from 0, without gaps
// RULE: errors.mlir:22:{{.*}}error: anvl-pad: anvl.set_dimension_size at {{.*}}errors.mlir:22: axis 0 of operand 0, of 5 elements, is bucketed, and it has no `pad_axes` rule; leave the argument out of `bucket`, or compute this outside of the jitted function
func.func @f(%x: tensor<5xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "anvl.set_dimension_size"(%x) {size = 2 : i64, dimension = 0 : i64} : (tensor<5xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// FIXED: error: anvl-pad: anvl.add at {{.*}}: axis 0 of operand 0, of 5 elements, is bucketed, and a bucketed axis of size 5 meets axis 0 of y, tensor<5xf32>, whose size is fixed; name it in `bucket` too
func.func @g(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %0 = "anvl.add"(%x, %y) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// LITERAL: error: anvl-pad: anvl.constant at {{.*}}: its result meets a bucketed axis of 3 elements along axis 0, and it cannot be padded along axis 0: its elements are fixed, and not all equal
func.func @h(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = "anvl.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %0 = "anvl.add"(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED: error: anvl-pad: anvl.reverse at {{.*}}: axis 0 of operand 0, of 5 elements, is bucketed, and it cannot be padded along axis 0: its last element would come first
func.func @k(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = "anvl.reverse"(%x) {dimensions = array<i64: 0>} : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
