// RUN: anvl-opt %s --verify-each --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | anvl-opt --anvl-lower-to-stablehlo | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo \
// RUN:   | %run --function=quotients --args='[3e38, 7e28, 7e28]' | %numbers %s --check-prefix=VALUE

// XLA would divide by y * z, which is infinite: so it does not see that u is a quotient (Note [Two
// ops that XLA puts together]).

// CHECK-LABEL: func.func @quotients(
// CHECK:         %[[U:.*]] = stablehlo.divide
// CHECK:         %[[HIDDEN:.*]] = stablehlo.reduce_precision %[[U]], format = e11m112
// CHECK:         stablehlo.divide %[[HIDDEN]]
// VALUE: f32[] 6.122449e-20
func.func @quotients(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> {
  %u = "anvl.div"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %v = "anvl.div"(%u, %z) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %v : tensor<f32>
}

// What comes next computes something else: nothing is joined.

// CHECK-LABEL: func.func @cosine(
// CHECK-NOT:     stablehlo.reduce_precision
// CHECK:         stablehlo.cosine
func.func @cosine(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %u = "anvl.div"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %v = "anvl.cos"(%u) : (tensor<f32>) -> tensor<f32>
  return %v : tensor<f32>
}

// A product with 1, as of a cotangent, is its other operand: nothing is hidden from it.

// CHECK-LABEL: func.func @times_one(
// CHECK:         %[[U:.*]] = stablehlo.exponential
// CHECK-NOT:     stablehlo.reduce_precision
// CHECK:         stablehlo.add %[[U]]
func.func @times_one(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %one = "anvl.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %u = "anvl.exp"(%x) : (tensor<f32>) -> tensor<f32>
  %v = "anvl.mul"(%one, %u) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %w = "anvl.add"(%v, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %q = "anvl.div"(%w, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %q : tensor<f32>
}
