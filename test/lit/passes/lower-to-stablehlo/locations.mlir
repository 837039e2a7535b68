// RUN: anvl-opt %s --anvl-lower-to-stablehlo --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | filecheck %s

// What an op becomes, and every op inside of that, has its place.

// CHECK:     stablehlo.sine {{.*}} loc("model.py":1:1)
// CHECK:     stablehlo.constant {{.*}} loc("model.py":2:2)
// CHECK:     stablehlo.reduce({{.*}} loc("model.py":2:2)
func.func @main(%x: tensor<2xf64>) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<2xf64>) -> tensor<2xf64> loc("model.py":1:1)
  %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64> loc("model.py":2:2)
  return %1 : tensor<f64>
}
