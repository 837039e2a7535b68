// RUN: anvl-opt %s --anvl-gradient="function=f" --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | filecheck %s

// Every op of the adjoint names the op it belongs to: by its Python name where that is known.

// CHECK-LABEL: func.func @f_adjoint(
// CHECK:         "anvl.neg"{{.*}} loc("loss_adjoint"("loss"("model.py":7:3)))
// CHECK:         "anvl.cos"{{.*}} loc("sin_adjoint"("model.py":6:3))
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64> loc("model.py":6:3)
  %1 = "anvl.neg"(%0) : (tensor<f64>) -> tensor<f64> loc("loss"("model.py":7:3))
  return %1 : tensor<f64>
}
