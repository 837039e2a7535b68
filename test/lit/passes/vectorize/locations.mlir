// RUN: anvl-opt %s --anvl-vectorize="function=f size=2" --mlir-print-debuginfo \
// RUN:   --mlir-print-local-scope | filecheck %s

// A batched op stands where the op stood, under its name.

// CHECK-LABEL: func.func @f_batched(
// CHECK-SAME:    tensor<2xf64> loc("x"("model.py":5:7))
// CHECK:         "anvl.sin"{{.*}} loc("y"("model.py":6:3))
func.func @f(%x: tensor<f64> loc("x"("model.py":5:7))) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64> loc("y"("model.py":6:3))
  return %0 : tensor<f64>
}
