// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=norm" | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo --anvl-inline | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=norm" \
// RUN:   | %run --function=norm_adjoint --args='[[3e200, 4e200]]' | %numbers %s

// A length grows along its own direction, x / |x|.  Its sum of squares may overflow: then it is the
// length of smaller elements, which is computed there alone.

// CHECK-LABEL: func.func @norm_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64>
// CHECK:         %[[Y:.*]] = "anvl.norm"(%[[X]]) {{.*}}order = 2.0{{.*}} : f64
// CHECK:         %[[RECIPROCAL:.*]] = "anvl.div"
// CHECK:         %[[SCALED:.*]] = "anvl.mul"(%[[X]], %
// CHECK:         %[[MANY:.*]] = "anvl.broadcast_in_dim"(%[[RECIPROCAL]])
// CHECK:         %[[UNIT:.*]] = "anvl.mul"(%[[SCALED]], %[[MANY]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%{{.*}}, %[[UNIT]])
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @norm(
// HLO-NOT:     anvl.
// HLO:         stablehlo.reduce
// HLO:         stablehlo.if
// HLO:         stablehlo.reduce
// HLO:         return

// NUMBERS: f64[] 5e+200
// NUMBERS-NEXT: f64[2] 0.6 0.8
func.func @norm(%x: tensor<2xf64>) -> tensor<f64> {
  %y = "anvl.norm"(%x) {axes = array<i64: 0>, order = 2.0 : f64} : (tensor<2xf64>) -> tensor<f64>
  return %y : tensor<f64>
}
