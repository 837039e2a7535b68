// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0" | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0" --anvl-inline \
// RUN:   | %run --function=main_adjoint --args='[0.0]' | %numbers %s

// What the adjoint needs is computed again, behind a barrier, but for what is kept.

// CHECK-LABEL: func.func @main_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>)
// CHECK:         %[[Y:.*]]:2 = call @f(%[[X]])
// CHECK:         %[[G:.*]] = "anvl.constant"
// CHECK:         %[[B:.*]]:3 = stablehlo.optimization_barrier %[[X]], %[[Y]]#1, %[[G]]
// CHECK-NOT:     "anvl.exp"
// CHECK:         "anvl.cos"(%[[B]]#1)
// CHECK:         "anvl.mul"(%{{.*}}, %[[B]]#1)
// CHECK:         return %[[Y]]#0

// NUMBERS:      f64[] 0.841471
// NUMBERS-NEXT: f64[] 0.540302
func.func private @f(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.checkpoint = {kept = 1 : i64}} {
  %0 = "anvl.exp"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.sin"(%0) : (tensor<f64>) -> tensor<f64>
  return %1, %0 : tensor<f64>, tensor<f64>
}

func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0:2 = call @f(%x) : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#0 : tensor<f64>
}
