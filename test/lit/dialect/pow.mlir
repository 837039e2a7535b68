// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient="function=pow" --cse | filecheck %s
// RUN: anvl-opt %s --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient="function=pow" \
// RUN:   | %run --function=pow_adjoint --args='[2.0, 3.0]' | %numbers %s

// x^y has the slopes y x^(y-1) = 12 and x^y log(x) = 8 log(2); the selects keep both finite where
// x is 0.

// CHECK-LABEL: func.func @pow_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK-SAME:    %[[Y:[a-zA-Z0-9_]+]]: tensor<f64>
// CHECK:         %[[Z:.*]] = "anvl.pow"(%[[X]], %[[Y]])
// CHECK:         %[[ONE:.*]] = "anvl.constant"() {value = dense<1.000000e+00>
// CHECK:         %[[MINUS_ONE:.*]] = "anvl.constant"() {value = dense<-1.000000e+00>
// CHECK:         %[[ADD:.*]] = "anvl.add"(%[[Y]], %[[MINUS_ONE]])
// CHECK:         %[[ZERO:.*]] = "anvl.constant"() {value = dense<0.000000e+00>
// CHECK:         %[[COMPARE:.*]] = "anvl.compare"(%[[Y]], %[[ZERO]]) {{.*}} EQ>
// CHECK:         %[[SELECT:.*]] = "anvl.select"(%[[COMPARE]], %[[ONE]], %[[ADD]])
// CHECK:         %[[COMPARE2:.*]] = "anvl.compare"(%[[X]], %[[ZERO]]) {{.*}} EQ>
// CHECK:         %[[SELECT2:.*]] = "anvl.select"(%[[COMPARE2]], %[[SELECT]], %[[ADD]])
// CHECK:         %[[POW:.*]] = "anvl.pow"(%[[X]], %[[SELECT2]])
// CHECK:         %[[MUL:.*]] = "anvl.mul"(%[[Y]], %[[POW]])
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[ONE]], %[[MUL]])
// CHECK:         %[[COMPARE3:.*]] = "anvl.compare"(%[[Y]], %[[ZERO]]) {{.*}} GE>
// CHECK:         %[[AND:.*]] = "anvl.and"(%[[COMPARE2]], %[[COMPARE3]])
// CHECK:         %[[SELECT3:.*]] = "anvl.select"(%[[AND]], %[[ONE]], %[[X]])
// CHECK:         %[[LOG:.*]] = "anvl.log"(%[[SELECT3]])
// CHECK:         %[[MUL2:.*]] = "anvl.mul"(%[[Z]], %[[LOG]])
// CHECK:         %[[DY:.*]] = "anvl.mul"(%[[ONE]], %[[MUL2]])
// CHECK:         return %[[Z]], %[[DX]], %[[DY]]

// HLO-LABEL: func.func @pow(
// HLO:         stablehlo.power %{{.*}}, %{{.*}}
// HLO-NEXT:    return

// NUMBERS: f64[] 8.0
// NUMBERS-NEXT: f64[] 12.0
// NUMBERS-NEXT: f64[] 5.54518
func.func @pow(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %z = "anvl.pow"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %z : tensor<f64>
}
