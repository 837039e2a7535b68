// RUN: anvl-opt %s --anvl-forward="function=f" --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | filecheck %s

// Every tangent op names the op it belongs to, and every tangent argument its argument: by its
// Python name where that is known.

// CHECK-LABEL: func.func @f_tangent(
// CHECK-SAME:    %{{[a-zA-Z0-9_]+}}: tensor<f64> loc("x_tangent"("x"("model.py":5:7)))
// CHECK:         "anvl.cos"{{.*}} loc("sin_tangent"("model.py":6:3))
// CHECK:         "anvl.neg"{{.*}} loc("loss_tangent"("loss"("model.py":7:3)))
func.func @f(%x: tensor<f64> loc("x"("model.py":5:7))) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64> loc("model.py":6:3)
  %1 = "anvl.neg"(%0) : (tensor<f64>) -> tensor<f64> loc("loss"("model.py":7:3))
  return %1 : tensor<f64>
}
