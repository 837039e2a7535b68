// RUN: anvl-opt %s --verify-each --anvl-mixed-precision="dtype=bf16" | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-mixed-precision="dtype=bf16" --anvl-mixed-precision="dtype=bf16" | filecheck %s
// RUN: anvl-opt %s --verify-each --anvl-mixed-precision="dtype=f16" | filecheck %s --check-prefix=F16
// RUN: anvl-opt %s --anvl-mixed-precision="dtype=bf16 report=true" 2>&1 >%t | filecheck %s --check-prefix=REPORT

// A contraction and a convolution from f32 to f32 get operands of fewer bits, and their results stay f32; so do a sum,
// an exponential and what is returned.  A cast goes before a transpose that nothing else reads.  In branches and loops
// too.  A second run changes nothing.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[W:[a-z0-9]+]]: tensor<3x4xf32>, %[[X:[a-z0-9]+]]: tensor<3xf32>) -> tensor<f32>
// CHECK:         %[[A:.*]] = "anvl.convert"(%[[W]]) : (tensor<3x4xf32>) -> tensor<3x4xbf16>
// CHECK:         %[[T:.*]] = "anvl.transpose"(%[[A]]) {{.*}} -> tensor<4x3xbf16>
// CHECK:         %[[B:.*]] = "anvl.convert"(%[[X]]) : (tensor<3xf32>) -> tensor<3xbf16>
// CHECK:         %[[Y:.*]] = "anvl.dot_general"(%[[T]], %[[B]]) {{.*}} : (tensor<4x3xbf16>, tensor<3xbf16>) -> tensor<4xf32>
// CHECK:         %[[E:.*]] = "anvl.exp"(%[[Y]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK:         stablehlo.while
// CHECK:           "anvl.dot_general"{{.*}} : (tensor<3x4xbf16>, tensor<4xbf16>) -> tensor<3xf32>
// CHECK:         %[[S:.*]] = "anvl.sum"{{.*}} : (tensor<3xf32>) -> tensor<f32>
// CHECK:         return %[[S]] : tensor<f32>
// F16:           "anvl.dot_general"{{.*}} : (tensor<4x3xf16>, tensor<3xf16>) -> tensor<4xf32>
// REPORT:      dot_general of f32[4, 3] and f32[3] at {{.*}}cast.mlir":{{.*}}: bf16 operands, f32 result
// REPORT-NEXT: dot_general of f32[3, 4] and f32[4] at {{.*}}: bf16 operands, f32 result
// REPORT-NEXT: convolution of f32[1, 5, 2] and f32[3, 2, 4] at {{.*}}: bf16 operands, f32 result
// REPORT-NEXT: dot_general of f32[3] and f32[3] at {{.*}}: bf16 operands, f32 result
// REPORT-NEXT: dot_general of f32[3] and f32[3] at {{.*}}: bf16 operands, f32 result
func.func @main(%w: tensor<3x4xf32>, %x: tensor<3xf32>) -> tensor<f32> {
  %t = "anvl.transpose"(%w) {permutation = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %y = "anvl.dot_general"(%t, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4xf32>
  %e = "anvl.exp"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %i = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %z:2 = stablehlo.while(%j = %i, %u = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %n = "anvl.constant"() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
    %c = "anvl.compare"(%j, %n) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %k = "anvl.add"(%j, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %v = "anvl.dot_general"(%w, %e) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %q = "anvl.add"(%u, %v) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %k, %q : tensor<i32>, tensor<3xf32>
  }
  %s = "anvl.sum"(%z#1) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// CHECK-LABEL: func.func @convolved(
// CHECK:         "anvl.convolution"{{.*}} : (tensor<1x5x2xbf16>, tensor<3x2x4xbf16>) -> tensor<1x3x4xf32>
func.func @convolved(%x: tensor<1x5x2xf32>, %k: tensor<3x2x4xf32>) -> tensor<1x3x4xf32> {
  %y = "anvl.convolution"(%x, %k) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>} : (tensor<1x5x2xf32>, tensor<3x2x4xf32>) -> tensor<1x3x4xf32>
  return %y : tensor<1x3x4xf32>
}

// What was cast from bf16 before is not cast back.

// CHECK-LABEL: func.func @narrow_already(
// CHECK-SAME:      %[[B:[a-z0-9]+]]: tensor<3xbf16>
// CHECK-NEXT:    "anvl.dot_general"(%[[B]], %[[B]])
// CHECK-NEXT:    return
func.func @narrow_already(%b: tensor<3xbf16>) -> tensor<f32> {
  %x = "anvl.convert"(%b) : (tensor<3xbf16>) -> tensor<3xf32>
  %y = "anvl.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// What was cast from another dtype is.

// CHECK-LABEL: func.func @narrow_otherwise(
// CHECK-SAME:      %[[H:[a-z0-9]+]]: tensor<3xf16>
// CHECK-NEXT:    %[[X:.*]] = "anvl.convert"(%[[H]]) : (tensor<3xf16>) -> tensor<3xf32>
// CHECK-NEXT:    "anvl.convert"(%[[X]]) : (tensor<3xf32>) -> tensor<3xbf16>
func.func @narrow_otherwise(%h: tensor<3xf16>) -> tensor<f32> {
  %x = "anvl.convert"(%h) : (tensor<3xf16>) -> tensor<3xf32>
  %y = "anvl.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}
