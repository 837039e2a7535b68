// RUN: anvl-opt %s -p "cse,anvl-hoist-constants,anvl-gradient{function=f},anvl-simplify,anvl-lower-to-stablehlo,func.func(stablehlo-aggressive-simplification)" --anvl-validate-each -o %t.validated 2>&1 | filecheck %s
// RUN: anvl-opt %s -p "cse,anvl-hoist-constants,anvl-gradient{function=f},anvl-simplify,anvl-lower-to-stablehlo,func.func(stablehlo-aggressive-simplification)" -o %t.plain
// RUN: diff %t.validated %t.plain
// RUN: anvl-opt %s --anvl-gradient --anvl-validate-each="executor=interpreter functions=f,g_vjp" -o %t.gradient 2>&1 | filecheck %s --check-prefix=NOTHING --allow-empty

// Passes that are right pass, and the module is what it is without the flag.  A literal that becomes
// an argument keeps its value; a declared derivative is executed before it has a body.

// CHECK-NOT: changes the type
// CHECK:     remark: anvl-validate-each: @f_adjoint is new after anvl-gradient{function=f}
// CHECK-NOT: remark
// CHECK-NOT: error

// NOTHING-NOT: remark
// NOTHING-NOT: error

func.func @f(%x: tensor<2xf32>) -> tensor<f32> {
  %table = "anvl.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = func.call @g(%x, %table) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

func.func private @g(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "anvl.mul"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = "anvl.sin"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

func.func private @g_vjp(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    attributes {anvl.vjp = {callee = @g, wrt = array<i64: 0>, targets = array<i64: 0>}}
