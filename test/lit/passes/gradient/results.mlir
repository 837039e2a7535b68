// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main wrt=0" | filecheck %s --check-prefix=ALL
// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main wrt=0 target=1 results=target" \
// RUN:   | filecheck %s --check-prefix=TARGET
// RUN: anvl-opt %s --verify-each --anvl-gradient="function=main wrt=0 results=none" \
// RUN:   | filecheck %s --check-prefix=NONE
// RUN: anvl-opt %s --anvl-gradient="function=main wrt=0 results=none" \
// RUN:   | anvl-opt --anvl-gradient | filecheck %s --check-prefix=NONE

// What is neither returned nor needed for an adjoint is gone: the sine without a use always, the
// results with what only they need where they are not asked for. What has an effect stays.

// ALL-LABEL: func.func @main_adjoint(
// ALL-SAME:    -> (tensor<f64> {x.sum}, tensor<f64> {x.exp}, tensor<f64>)
// ALL-NOT:     "anvl.sin"
// ALL:         "anvl.exp"
// ALL:         custom_call @log

// TARGET-LABEL: func.func @main_adjoint(
// TARGET-SAME:    -> (tensor<f64> {x.exp}, tensor<f64>)
// TARGET:         %[[E:.*]] = "anvl.exp"
// TARGET-NOT:     "anvl.log"
// TARGET:         return %[[E]], %{{.*}} : tensor<f64>, tensor<f64>

// NONE-LABEL: func.func @main_adjoint(
// NONE-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>) -> tensor<f64> {
// NONE-NEXT:    custom_call @log
// NONE-NEXT:    %[[ONE:.*]] = "anvl.constant"
// NONE-NEXT:    %[[DX:.*]] = "anvl.div"(%[[ONE]], %[[X]])
// NONE-NEXT:    return %[[DX]] : tensor<f64>
func.func @main(%x: tensor<f64>) -> (tensor<f64> {x.sum}, tensor<f64> {x.exp}) {
  %l = "anvl.log"(%x) : (tensor<f64>) -> tensor<f64>
  %s = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  %e = "anvl.exp"(%x) : (tensor<f64>) -> tensor<f64>
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<f64>) -> ()
  return %l, %e : tensor<f64>, tensor<f64>
}
