// RUN: anvl-opt %s --anvl-lift --anvl-gradient="function=products" | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-gradient="function=products" --anvl-lower-to-stablehlo \
// RUN:   | %run --function=products_adjoint --args='[[3.0, 256.0], [0.0078125, 1.0]]' \
// RUN:   | %numbers %s

// Of bf16, summed up in f32: cotangents are products of bf16 too, whose sums are in f32, and each is
// written in bf16 at its end.  256 + 0.0234375 needs 14 bits, and bf16 has 8.

// CHECK-LABEL: func.func @products_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xbf16>, %[[Y:[a-zA-Z0-9_]+]]: tensor<2xbf16>
// CHECK:         "anvl.dot_general"(%[[X]], %[[Y]]) {{.*}} -> tensor<f32>
// CHECK:         %[[G:.*]] = "anvl.convert"(%{{.*}}) : (tensor<f32>) -> tensor<bf16>
// CHECK:         %[[DX:.*]] = "anvl.dot_general"(%[[G]], %[[Y]]) {{.*}} -> tensor<2xf32>
// CHECK:         "anvl.convert"(%[[DX]]) : (tensor<2xf32>) -> tensor<2xbf16>

// NUMBERS: f32[] 256.023
// NUMBERS-NEXT: bf16[2] 0.0078125 1.0
// NUMBERS-NEXT: bf16[2] 3.0 256.0
func.func @products(%x: tensor<2xbf16>, %y: tensor<2xbf16>) -> tensor<f32> {
  %z = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
    : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<f32>
  return %z : tensor<f32>
}
