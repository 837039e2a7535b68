// RUN: anvl-opt %s --anvl-gradient="function=f" --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | filecheck %s
// RUN: anvl-opt %s --anvl-gradient --mlir-print-debuginfo --mlir-print-local-scope \
// RUN:   | filecheck %s --check-prefix=DECLARED

// Every op of the adjoint says where the op that it belongs to comes from, around that its own name.

// CHECK-LABEL: func.func @f_adjoint(
// CHECK:         "anvl.neg"{{.*}} loc("sin_adjoint"("loss"("model.py":7:3)))
// CHECK:         "anvl.cos"{{.*}} loc("sin_partial"("model.py":6:3))
// CHECK:         "anvl.mul"{{.*}} loc("x_adjoint"("model.py":6:3))

// Of a declaration, which a program that is to be compiled has, it is named for that op alone.

// DECLARED-LABEL: func.func private @f_vjp(
// DECLARED:         "anvl.neg"{{.*}} loc("loss_adjoint"("loss"("model.py":7:3)))
// DECLARED:         "anvl.cos"{{.*}} loc("sin_adjoint"("model.py":6:3))
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64> loc("model.py":6:3)
  %1 = "anvl.neg"(%0) : (tensor<f64>) -> tensor<f64> loc("loss"("model.py":7:3))
  return %1 : tensor<f64>
}
func.func private @f_vjp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
