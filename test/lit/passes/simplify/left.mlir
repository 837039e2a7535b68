// RUN: anvl-opt %s --verify-each --anvl-simplify > %t
// RUN: anvl-opt %s | diff - %t

// What would not be the same to the bit stays: 0.0 + -0.0 is 0.0, 0 * inf is a NaN, a complex
// infinity times 1 has a NaN in it.

func.func @zeros(%x: tensor<f64>, %z: tensor<complex<f64>>)
    -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<complex<f64>>) {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %minus = "anvl.constant"() {value = dense<-0.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "anvl.add"(%x, %zero) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = "anvl.sub"(%x, %minus) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = "anvl.mul"(%x, %zero) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %one = "anvl.constant"() {value = dense<(1.0, 0.0)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
  %3 = "anvl.mul"(%z, %one) : (tensor<complex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  return %0, %1, %2, %3 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<complex<f64>>
}

// Two that differ: in the order of their operands, in a parameter, in their type.

func.func @different(%x: tensor<2xf32>, %y: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xi1>, tensor<2xf64>, tensor<2xf16>) {
  %0 = "anvl.sub"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = "anvl.sub"(%y, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = "anvl.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %3 = "anvl.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LE>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %4 = "anvl.convert"(%x) : (tensor<2xf32>) -> tensor<2xf64>
  %5 = "anvl.convert"(%x) : (tensor<2xf32>) -> tensor<2xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xi1>, tensor<2xf64>, tensor<2xf16>
}

// What may have an effect, what is there to keep others apart or to be found by its label, and what
// is not of anvl; declarations.

func.func @effects(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = stablehlo.custom_call @noted(%x) {has_side_effect = true} : (tensor<f64>) -> tensor<f64>
  %1 = stablehlo.optimization_barrier %x : tensor<f64>
  %2 = stablehlo.optimization_barrier %x : tensor<f64>
  %tag = "anvl.tag"(%x) {label = "x"} : (tensor<f64>) -> tensor<f64>
  %same = "anvl.tag"(%x) {label = "x"} : (tensor<f64>) -> tensor<f64>
  %3 = stablehlo.sine %x : tensor<f64>
  %4 = call @declared(%x) : (tensor<f64>) -> tensor<f64>
  return %1, %2 : tensor<f64>, tensor<f64>
}
func.func private @declared(tensor<f64>) -> tensor<f64>
