// RUN: not anvl-opt %s --split-input-file --anvl-check-differentiable="function=main" 2>&1 \
// RUN:   | filecheck %s

// All ops without a derivative at once, in the order of the program: where, why, and by which way.
// Ops behind one that is missing are found too; the op on integers is not on the way.

// CHECK: missing-rules.mlir:[[# @LINE + 9]]:8: error: anvl-check-differentiable: @main: 3 of the
// CHECK-NEXT: stablehlo.cosine at {{.*}}:[[# @LINE + 8]]:8: it has no
// CHECK-SAME: adjoint rule, since anvl-lift has not been run (reached by wrt -> anvl.sin -> stablehlo.cosine)
// CHECK-NEXT: anvl.polygamma at {{.*}}: operand 0 has no derivative: not differentiable
// CHECK-SAME: with respect to its order, which must be an integer (reached by wrt -> anvl.polygamma)
// CHECK-NEXT: anvl.bitcast_convert at {{.*}}: bits carry no derivative
// CHECK-SAME: (reached by wrt -> anvl.polygamma -> anvl.bitcast_convert)
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.cosine %0 : tensor<f32>
  %2 = "anvl.polygamma"(%x, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = "anvl.convert"(%2) : (tensor<f32>) -> tensor<i32>
  %4 = stablehlo.negate %3 : tensor<i32>
  %5 = "anvl.bitcast_convert"(%2) : (tensor<f32>) -> tensor<f32>
  return %5 : tensor<f32>
}

// -----

// Through a call, and through a body of an op.

// CHECK: error: anvl-check-differentiable: @main: 1 of the ops cannot be differentiated:
// CHECK-NEXT: anvl.bitcast_convert at {{.*}}:[[# @LINE + 6]]:10: operand 0 has no derivative
// CHECK-SAME: (reached by wrt -> anvl.exp -> stablehlo.map -> anvl.sin -> anvl.bitcast_convert)
func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%e: tensor<f32>):
    %1 = "anvl.sin"(%e) : (tensor<f32>) -> tensor<f32>
    %2 = "anvl.bitcast_convert"(%1) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "anvl.exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @inner(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// An op that is not ours may use values from around its regions: it is on the way by these.

// CHECK: error: anvl-check-differentiable: @main: 1 of the ops cannot be differentiated:
// CHECK-NEXT: scf.execute_region at {{.*}}: its dialect has no adjoint rules
// CHECK-SAME: (reached by wrt -> scf.execute_region)
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = scf.execute_region -> tensor<f32> {
    %1 = "anvl.sin"(%x) : (tensor<f32>) -> tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
