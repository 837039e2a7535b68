// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0" | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-vectorize="function=main batched=0 size=3" \
// RUN:   | filecheck %s --check-prefix=VMAP

// The rule of @exp calls @exp: its derivative does so once more, and its batch calls the batch.

// GRAD-LABEL: func.func @main_adjoint(
// GRAD:         %[[Y:.*]] = call @exp(%[[X:.*]]) : (tensor<f64>) -> tensor<f64>
// GRAD:         %[[AGAIN:.*]] = call @exp(%[[X]])
// GRAD:         "anvl.mul"(%[[AGAIN]], %{{.*}})

// VMAP-LABEL: func.func private @exp_batched(
// VMAP-SAME:    attributes {anvl.custom_vjp = {rule = @exp_rule_batched,
// VMAP-LABEL: func.func private @exp_rule_batched(
// VMAP:         call @exp_batched(
func.func private @exp(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.custom_vjp = {rule = @exp_rule, wrt = array<i64: 0>}} {
  %y = "anvl.exp"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func private @exp_rule(%x: tensor<f64>, %y: tensor<f64>, %g: tensor<f64>) -> tensor<f64> {
  %again = call @exp(%x) : (tensor<f64>) -> tensor<f64>
  %0 = "anvl.mul"(%again, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @exp(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
