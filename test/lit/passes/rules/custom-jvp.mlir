// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0" | filecheck %s --check-prefix=GRAD
// RUN: anvl-opt %s --anvl-forward="function=main wrt=0" | filecheck %s --check-prefix=JVP
// RUN: anvl-opt %s --anvl-gradient="function=f wrt=0" | filecheck %s --check-prefix=ITSELF

// The adjoint is the transpose of the rule, also where the function with the rule is asked itself.

// GRAD-LABEL: func.func @main_adjoint(
// GRAD-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>)
// GRAD:         %[[Y:.*]] = call @f(%[[X]])
// GRAD:         %[[G:.*]] = "anvl.constant"
// GRAD:         %[[SEVEN:.*]] = "anvl.constant"() {value = dense<7.0{{.*}}>
// GRAD:         %[[DX:.*]] = "anvl.mul"(%[[G]], %[[SEVEN]])
// GRAD:         return %[[Y]], %[[DX]]

// JVP-LABEL: func.func @main_tangent(
// JVP-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>, %[[T:[a-zA-Z0-9_]+]]: tensor<f64>)
// JVP:         %[[SEVEN:.*]] = "anvl.constant"() {value = dense<7.0{{.*}}>
// JVP:         "anvl.mul"(%[[T]], %[[SEVEN]])

// ITSELF-LABEL: func.func @f_adjoint(
// ITSELF:         call @f(
// ITSELF:         dense<7.000000e+00>
// ITSELF:         return
func.func private @f(%x: tensor<f64>) -> tensor<f64>
    attributes {anvl.custom_jvp = {rule = @f_rule, wrt = array<i64: 0>}} {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

func.func private @f_rule(%x: tensor<f64>, %y: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.constant"() {value = dense<7.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "anvl.mul"(%t, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}

func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = call @f(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
