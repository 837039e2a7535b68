// RUN: anvl-opt %s --anvl-check-differentiable="function=f" -o %t 2>&1 | filecheck %s
// RUN: anvl-opt %s -o %t.before && diff %t %t.before
// RUN: anvl-opt %t --anvl-check-differentiable="function=f wrt=3" 2>&1 \
// RUN:   | filecheck %s --check-prefix=SILENT

// Where a derivative is zero by design, the ops that let nothing through are said; it is no error.
// The module stays as it is, so a second run says the same; and nothing is said of %y, which has a
// derivative.

// CHECK: note: the derivative with respect to argument 0 of @f is zero: anvl.floor at
// CHECK-SAME: :[[# @LINE + 12]]:8: its derivative is zero: flat where it is continuous
// CHECK-SAME: (reached by wrt -> anvl.sin -> anvl.floor);
// CHECK-SAME: anvl.convert at {{.*}}: its derivative is zero: its results are tensor<i32>
// CHECK-NEXT: note: the derivative with respect to argument 1 of @f is zero: no result depends
// CHECK-NEXT: note: the derivative with respect to argument 2 of @f is zero: the derivative of every op
// CHECK-NOT:  note

// SILENT-NOT: note:
// SILENT:     func.func @f(
func.func @f(%x: tensor<f32>, %u: tensor<f32>, %w: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %none = "anvl.floor"(%u) : (tensor<f32>) -> tensor<f32>
  %1 = "anvl.floor"(%0) : (tensor<f32>) -> tensor<f32>
  %2 = "anvl.convert"(%x) : (tensor<f32>) -> tensor<i32>
  %3 = "anvl.convert"(%2) : (tensor<i32>) -> tensor<f32>
  %4 = "anvl.mul"(%1, %3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = "anvl.nextafter"(%4, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = "anvl.mul"(%5, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}
