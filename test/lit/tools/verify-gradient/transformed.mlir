// RUN: anvl-opt %s -o %t --anvl-verify-gradient=function=calls \
// RUN:   --anvl-gradient=function=f --anvl-verify-gradient="function=f_adjoint target=1" \
// RUN:   --anvl-vectorize="function=f_adjoint size=2" \
// RUN:   --anvl-verify-gradient="function=f_adjoint_batched target=1" \
// RUN:   --anvl-forward=function=f_adjoint_batched \
// RUN:   --anvl-verify-gradient="function=f_adjoint_batched_tangent target=3" \
// RUN:   2>&1 | filecheck %s

// What the passes made is verified as what a person wrote: a Hessian, a batch of it, and the third
// derivative, each against differences.  So is a function that calls declared ones.

// CHECK:      @calls, result 0: tensor<2xf64>
// CHECK-NEXT:   x: tensor<2xf64>, {{.*}}, ok
// CHECK:      @f_adjoint, result 1: tensor<f64>
// CHECK-NEXT:   x: tensor<f64>, adjoint {{.*[1-9].*}}, ok
// CHECK:      @f_adjoint_batched, result 1: tensor<2xf64>
// CHECK-NEXT:   x: tensor<2xf64>, adjoint {{.*[1-9].*}}, ok
// CHECK:      @f_adjoint_batched_tangent, result 3: tensor<2xf64>
// CHECK-NEXT:   x: tensor<2xf64>, adjoint {{.*[1-9].*}}, ok
// CHECK-NEXT:   x_tangent: tensor<2xf64>, adjoint {{.*[1-9].*}}, ok
func.func @f(%x: tensor<f64> loc("x")) -> tensor<f64> {
  %0 = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %1 = "anvl.exp"(%x) : (tensor<f64>) -> tensor<f64>
  %2 = "anvl.mul"(%0, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %2 : tensor<f64>
}
func.func private @slope(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>}}
func.func private @slopes(tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
    attributes {anvl.vmap = {callee = @slope, batched = array<i64: 0, 1>,
                             results = array<i64: 0, 1>, size = 2}}
func.func @calls(%x: tensor<2xf64> loc("x")) -> tensor<2xf64> {
  %0:2 = func.call @slopes(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}
