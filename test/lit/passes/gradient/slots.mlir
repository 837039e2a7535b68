// RUN: anvl-opt %s --anvl-gradient="function=main slots=16" | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=main" | filecheck %s --check-prefix=DEFAULT
// RUN: anvl-opt %s --anvl-gradient="slots=16" | filecheck %s --check-prefix=DECLARED
// RUN: anvl-opt %s --anvl-gradient="function=main slots=2" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint --args='[2.0]' | %numbers %s
// RUN: anvl-opt %s --anvl-gradient="function=main slots=64" --anvl-control-flow \
// RUN:   | %run --function=main_adjoint --args='[2.0]' | %numbers %s

// How many carries a level keeps: the pass says it for loops that do not.

// CHECK-LABEL: func.func @main_adjoint(
// CHECK:         stablehlo.while({{.*}} tensor<16xf64>
// CHECK:         stablehlo.while({{.*}} tensor<4xf64>
// DEFAULT-LABEL: func.func @main_adjoint(
// DEFAULT:       stablehlo.while({{.*}} tensor<32xf64>
// DEFAULT:       stablehlo.while({{.*}} tensor<4xf64>
// DECLARED-LABEL: func.func private @main_vjp(
// DECLARED:       stablehlo.while({{.*}} tensor<16xf64>

// 2 is squared 3 times, that once more: 2^16, with the slope 16 * 2^15.
// NUMBERS:      f64[] 65536.0
// NUMBERS-NEXT: f64[] 524288.0

// RUN: anvl-opt %s --anvl-gradient="slots=16" --anvl-gradient="slots=16" -o %t.twice
// RUN: anvl-opt %s --anvl-gradient="slots=16" -o %t.once
// RUN: cmp %t.once %t.twice
// RUN: anvl-opt %S/function.mlir --anvl-gradient="function=loss slots=16" -o %t.sixteen
// RUN: anvl-opt %S/function.mlir --anvl-gradient="function=loss" -o %t.default
// RUN: cmp %t.sixteen %t.default

// RUN: not anvl-opt %s --anvl-gradient="function=main slots=12" 2>&1 | filecheck %s --check-prefix=BAD
// RUN: not anvl-opt %s --anvl-gradient="slots=0" 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not anvl-opt %s --anvl-gradient="slots=few" 2>&1 | filecheck %s --check-prefix=FEW
// BAD:  error: anvl-gradient: slots is 12; it must be a power of 2, of at least 2
// NONE: error: anvl-gradient: slots is 0; it must be a power of 2, of at least 2
// FEW:  anvl-gradient: option slots takes int, got 'few'
func.func private @main_vjp(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @main, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.while(%c = %x) : tensor<f64>
  cond {
    %most = "anvl.constant"() {value = dense<100.0> : tensor<f64>} : () -> tensor<f64>
    %more = "anvl.compare"(%c, %most) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = "anvl.mul"(%c, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %next : tensor<f64>
  }
  %1 = stablehlo.while(%c = %0) : tensor<f64> attributes {anvl.slots = 4 : i64}
  cond {
    %most = "anvl.constant"() {value = dense<1000.0> : tensor<f64>} : () -> tensor<f64>
    %more = "anvl.compare"(%c, %most) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = "anvl.mul"(%c, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    stablehlo.return %next : tensor<f64>
  }
  return %1 : tensor<f64>
}
