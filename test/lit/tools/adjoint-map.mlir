// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0" --cse --anvl-print-adjoint-map -o %t 2>&1 \
// RUN:   | filecheck %s --strict-whitespace --match-full-lines
// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0 split" --anvl-print-adjoint-map -o %t 2>&1 \
// RUN:   | filecheck %s --check-prefix=SPLIT
// RUN: anvl-opt %s --cse --anvl-print-adjoint-map -o %t 2>&1 \
// RUN:   | filecheck %s --check-prefix=QUIET --allow-empty

// Each op stands beside the ops that its adjoint rule made: none for what is not on the way.

//      CHECK:// -----// Adjoint map of @main_adjoint //----- //
// CHECK-NEXT:// forward                   |  adjoint
// CHECK-NEXT:// (the seed)                |  %loss_adjoint = "anvl.constant"()
// CHECK-NEXT:// %0 = "anvl.mul"(%w, %x)   |  %w_adjoint = "anvl.mul"(%mul_adjoint, %x)
// CHECK-NEXT:// %1 = stablehlo.negate %x  |  -
// CHECK-NEXT:// %h = "anvl.sin"(%0)       |  %h_partial = "anvl.cos"(%0)
// CHECK-NEXT://                           |  %mul_adjoint = "anvl.mul"(%h_adjoint, %h_partial)
// CHECK-NEXT:// %loss = "anvl.sum"(%h)    |  %h_adjoint = "anvl.broadcast_in_dim"(%loss_adjoint)
//  CHECK-NOT:Adjoint map

// Of two functions, each has its part.

// SPLIT:      Adjoint map of @main_fwd
// SPLIT:      %h = "anvl.sin"(%0) {{.*}}|  %h_partial = "anvl.cos"(%0)
// SPLIT:      Adjoint map of @main_bwd
// SPLIT:      %0 = "anvl.mul"(%w, %x) {{.*}}|  %w_adjoint = "anvl.mul"(%mul_adjoint, %x)

// QUIET-NOT: Adjoint map
func.func @main(%w: tensor<2xf64>, %x: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %0 = "anvl.mul"(%w, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %1 = stablehlo.negate %x : tensor<2xf64>
  %h = "anvl.sin"(%0) : (tensor<2xf64>) -> tensor<2xf64>
  %loss = "anvl.sum"(%h) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
  return %loss, %1 : tensor<f64>, tensor<2xf64>
}
