// RUN: anvl-opt %s --verify-each --anvl-mixed-precision="dtype=bf16" | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-mixed-precision | filecheck %s
// RUN: anvl-opt %s --anvl-mixed-precision="dtype=bf16 report=true" 2>&1 >%t | filecheck %s --check-prefix=REPORT

// What a person computes in f64, in integers, or from bf16 already, stays as it is; without dtype and attributes, so does all.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     anvl.convert
// CHECK:         "anvl.dot_general"{{.*}} : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
// CHECK-NEXT:    "anvl.dot_general"{{.*}} : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>
// CHECK-NEXT:    "anvl.dot_general"{{.*}} : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<f32>
// CHECK-NEXT:    return
// REPORT:      dot_general of f64[3] and f64[3] at {{.*}}: stays, it computes in f64
// REPORT-NEXT: dot_general of i32[3] and i32[3] at {{.*}}: stays, it computes in i32
// REPORT-NEXT: dot_general of bf16[3] and bf16[3] at {{.*}}: stays, it computes in bf16
func.func @main(%x: tensor<3xf64>, %n: tensor<3xi32>, %b: tensor<3xbf16>) -> (tensor<f64>, tensor<i32>, tensor<f32>) {
  %y = "anvl.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  %m = "anvl.dot_general"(%n, %n) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>
  %c = "anvl.dot_general"(%b, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<f32>
  return %y, %m, %c : tensor<f64>, tensor<i32>, tensor<f32>
}

// Products that are not added up stay too: rounded angles, such as positions times frequencies, would be wrong.

// CHECK-LABEL: func.func @outer(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<3xf32>, %[[W:[a-z0-9]+]]: tensor<2x3xf32>)
// CHECK-NEXT:    %[[T:.*]] = "anvl.transpose"(%[[W]]) {{.*}} -> tensor<3x2xf32>
// CHECK-NEXT:    %[[Y:.*]] = "anvl.dot_general"(%[[X]], %[[T]]) {{.*}} : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x3x2xf32>
// CHECK-NEXT:    return %[[Y]]
// REPORT-NEXT: dot_general of f32[3] and f32[3, 2] at {{.*}}: stays, it adds nothing up
func.func @outer(%x: tensor<3xf32>, %w: tensor<2x3xf32>) -> tensor<3x3x2xf32> {
  %t = "anvl.transpose"(%w) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %y = "anvl.dot_general"(%x, %t) {dot_dimension_numbers = #stablehlo.dot<>} : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x3x2xf32>
  return %y : tensor<3x3x2xf32>
}
