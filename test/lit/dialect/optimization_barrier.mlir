// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient | %run --function=optimization_barrier_vjp \
// RUN:   --args='[[3.0, 1.0], [7], [1.0, 10.0]]' | %numbers %s

// StableHLO's own op, with our rules: what nothing may move across going forward, nothing may move
// across going back.

// CHECK-LABEL: func.func private @optimization_barrier_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK-SAME:    %[[N:[a-zA-Z0-9_]+]]: tensor<1xi32>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]]:2 = stablehlo.optimization_barrier %[[X]], %[[N]] :
// CHECK:         %[[DX:.*]] = stablehlo.optimization_barrier %[[G]] :
// CHECK:         return %[[Y]]#0, %[[Y]]#1, %[[DX]]

// HLO-LABEL: func.func @optimization_barrier(
// HLO:         %[[Y:.*]]:2 = stablehlo.optimization_barrier %{{.*}}, %{{.*}} :
// HLO:         return %[[Y]]#0, %[[Y]]#1

// NUMBERS: f64[2] 3.0 1.0
// NUMBERS-NEXT: i32[1] 7
// NUMBERS-NEXT: f64[2] 1.0 10.0
func.func @optimization_barrier(%x: tensor<2xf64>, %n: tensor<1xi32>)
    -> (tensor<2xf64>, tensor<1xi32>) {
  %y:2 = "stablehlo.optimization_barrier"(%x, %n)
    : (tensor<2xf64>, tensor<1xi32>) -> (tensor<2xf64>, tensor<1xi32>)
  return %y#0, %y#1 : tensor<2xf64>, tensor<1xi32>
}

func.func private @optimization_barrier_vjp(tensor<2xf64>, tensor<1xi32>, tensor<2xf64>)
    -> (tensor<2xf64>, tensor<1xi32>, tensor<2xf64>)
    attributes {
      anvl.vjp = {callee = @optimization_barrier, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
