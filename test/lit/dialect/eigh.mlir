// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=eigh_vjp --args='[[[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]]' \
// RUN:   | %numbers %s

// An eigenvalue grows along v v^T.  Where two are equal, the quotient by their gap is 0.

// CHECK-LABEL: func.func private @eigh_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x2xf64>, %[[GW:[a-zA-Z0-9_]+]]: tensor<2xf64>, %[[GV:[a-zA-Z0-9_]+]]: tensor<2x2xf64>
// CHECK:         %[[Y:.*]]:2 = "anvl.eigh"(%[[X]])
// CHECK:         %[[G:.*]] = "anvl.add"(%[[GW]], %
// CHECK:         %[[EQUAL:.*]] = "anvl.compare"({{.*}} LE>
// CHECK:         %[[INF:.*]] = "anvl.constant"() {value = dense<0x7FF0000000000000>
// CHECK:         %[[GAPS:.*]] = "anvl.select"(%[[EQUAL]], %[[INF]], %
// CHECK:         %[[ROUGH:.*]] = "anvl.add"(%[[GAPS]], %
// CHECK:         %[[INSIDE:.*]] = "anvl.dot_general"(%[[Y]]#1, %[[GV]])
// CHECK:         "anvl.div"(%[[INSIDE]], %[[ROUGH]])
// CHECK:         "anvl.broadcast_in_dim"(%[[G]])
// CHECK:         return %[[Y]]#0, %[[Y]]#1

// HLO-LABEL: func.func private @eigh_1(
// HLO:         %[[Y:.*]]:3 = stablehlo.custom_call @lapack_dsyevd_ffi(
// HLO-SAME:      backend_config = {mode = 86 : ui8, uplo = 76 : ui8}
// HLO:         stablehlo.compare EQ, %[[Y]]#2, %{{.*}}
// HLO-LABEL: func.func @eigh(
// HLO:         call @eigh_1(

// NUMBERS: f64[2] 1.0 3.0
// NUMBERS-NEXT: f64[2,2] ...
// NUMBERS-NEXT: f64[2,2] 0.5 -0.5 -0.5 0.5
func.func @eigh(%x0: tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2x2xf64>) {
  %y:2 = "anvl.eigh"(%x0) : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2x2xf64>)
  return %y#0, %y#1 : tensor<2xf64>, tensor<2x2xf64>
}

func.func private @eigh_vjp(tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>)
    -> (tensor<2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
    attributes {
      anvl.vjp = {callee = @eigh, wrt = array<i64: 0>, targets = array<i64: 0, 1>}
    }
