// RUN: anvl-opt %s --anvl-gradient=function=main --verify-diagnostics

// The derivative with respect to %z would be lost, and XLA compiles no such body.
func.func @main(%x: tensor<3xf64>, %z: tensor<f64>) -> tensor<f64> {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  // expected-error @below {{anvl-gradient: a body of stablehlo.reduce reads tensor<f64> from outside of it, and a body closes over nothing but constants; write the op as a loop, such as stablehlo.while}}
  %y = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = "anvl.mul"(%b, %z) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %t = "anvl.add"(%a, %s) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %t : tensor<f64>
  }) : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
