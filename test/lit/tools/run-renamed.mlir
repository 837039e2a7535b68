// RUN: %run %s --function=f --args="[0.5]" | %numbers %s

// PJRT runs @main, so @f gets this name, and @main another: one that nothing has yet.

// NUMBERS: f64[] 0.88726
func.func @main_(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.cos"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = func.call @main(%x) : (tensor<f64>) -> (tensor<f64>)
  %1 = func.call @main_(%0) : (tensor<f64>) -> (tensor<f64>)
  return %1 : tensor<f64>
}
