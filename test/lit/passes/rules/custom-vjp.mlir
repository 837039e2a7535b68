// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0,1" | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-forward="function=main wrt=0" | filecheck %s --check-prefix=JVP
// RUN: anvl-opt %s --anvl-vectorize="function=main batched=0 size=3" \
// RUN:   | filecheck %s --check-prefix=VMAP
// RUN: anvl-opt %s --anvl-inline | filecheck %s --check-prefix=INLINE
// RUN: anvl-opt %s --anvl-gradient | filecheck %s --check-prefix=NOTHING
// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0,1" \
// RUN:   | %run --function=main_adjoint --args='[0.0, 7.0]' | %numbers %s

// A function with a rule: its calls stay until they are differentiated, and are then asked for it.

// GRAD-LABEL: func.func @main_adjoint(
// GRAD-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>)
// GRAD:         %[[Z:.*]] = call @f(%[[X]], %[[Y]])
// GRAD:         %[[G:.*]] = "anvl.constant"
// GRAD:         %[[HUNDRED:.*]] = "anvl.mul"(%[[Y]], %[[G]])
// GRAD:         %[[DY:.*]] = "anvl.mul"(%[[Z]], %[[G]])
// GRAD:         return %[[Z]], %[[HUNDRED]], %[[DY]]

// The tangent is the transpose of the rule.
// JVP-LABEL: func.func @main_tangent(
// JVP-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>, %[[T:[a-zA-Z0-9_]+]]: tensor<f64>)
// JVP:         %[[Z:.*]] = call @f(%[[X]], %[[Y]])
// JVP:         %[[DZ:.*]] = "anvl.mul"(%[[T]], %[[Y]])
// JVP:         return %[[Z]], %[[DZ]]

// Function and rule have one more axis; the argument that all share gets a sum.
// VMAP-LABEL: func.func @main_batched(
// VMAP:         call @f_batched(%{{.*}}, %{{.*}}) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
// VMAP-LABEL: func.func private @f_batched(
// VMAP-SAME:    attributes {anvl.custom_vjp = {rule = @f_rule_batched, wrt = array<i64: 0, 1>}}
// VMAP-LABEL: func.func private @f_rule_batched(
// VMAP-SAME:    tensor<3xf64>, %{{.*}}: tensor<f64>, %{{.*}}: tensor<3xf64>,
// VMAP-SAME:    %{{.*}}: tensor<3xf64>) -> (tensor<3xf64>, tensor<f64>)
// VMAP:         "anvl.sum"

// INLINE-NOT:  call
// INLINE-NOT:  @f
// INLINE:      func.func @main(
// INLINE:        "anvl.sin"

// NOTHING:     attributes {anvl.custom_vjp = {rule = @f_rule, wrt = array<i64: 0, 1>}}
// NOTHING:     call @f(

// NUMBERS:      f64[] 0.0
// NUMBERS-NEXT: f64[] 7.0
// NUMBERS-NEXT: f64[] 0.0
func.func private @f(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64>
    attributes {anvl.custom_vjp = {rule = @f_rule, wrt = array<i64: 0, 1>}} {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%0, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}

func.func private @f_rule(
    %x: tensor<f64>, %y: tensor<f64>, %z: tensor<f64>, %g: tensor<f64>)
    -> (tensor<f64>, tensor<f64>) {
  %0 = "anvl.mul"(%y, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.mul"(%z, %g) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}

func.func @main(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
