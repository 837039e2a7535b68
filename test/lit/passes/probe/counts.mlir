// RUN: anvl-opt %s --anvl-probe | filecheck %s
// RUN: anvl-opt %s --anvl-probe="function=main op=1" | filecheck %s --check-prefix=ONE
// RUN: anvl-opt %s --anvl-probe="function=none" | filecheck %s --check-prefix=NONE

// For each float value that an op gives, how many elements are NaN, and infinite, in the order of
// the program; values that no op gives, and integers, are not looked at.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      -> (tensor<2xf32>, tensor<2x2xi32>)
// CHECK:         %[[LOG:.*]] = "anvl.log"
// CHECK:         %[[NARROW:.*]] = "anvl.convert"(%[[LOG]]) {{.*}} -> tensor<2xbf16>
// CHECK:         "anvl.compare"(%[[LOG]], %[[LOG]]) {comparison_direction = {{.*}}NE
// CHECK:         "anvl.is_finite"(%[[LOG]])
// CHECK:         %[[WIDE:.*]] = "anvl.convert"(%[[NARROW]]) {{.*}} -> tensor<2xf32>
// CHECK:         "anvl.is_finite"(%[[WIDE]])
// CHECK-NOT:     "anvl.is_finite"
// CHECK:         %[[COUNTS:.*]] = "anvl.reshape"({{.*}} -> tensor<2x2xi32>
// CHECK:         return %[[LOG]], %[[COUNTS]]

// Of one op, all operands and results.

// ONE-LABEL: func.func @main(
// ONE-SAME:      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>)
// ONE:         %[[LOG:.*]] = "anvl.log"
// ONE:         %[[NARROW:.*]] = "anvl.convert"(%[[LOG]])
// ONE:         return %[[LOG]], %[[LOG]], %[[NARROW]]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "anvl.log"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "anvl.convert"(%0) : (tensor<2xf32>) -> tensor<2xbf16>
  %2 = "anvl.convert"(%1) : (tensor<2xbf16>) -> tensor<2xi32>
  return %0 : tensor<2xf32>
}

// Without such values there is nothing to count, and of others nothing is changed.

// NONE-LABEL: func.func @main(
// NONE-NOT:     anvl.is_finite
// NONE-LABEL: func.func @none(
// NONE-SAME:      -> (tensor<i32>, tensor<0x2xi32>)
func.func @none(%n: tensor<i32>) -> tensor<i32> {
  return %n : tensor<i32>
}
