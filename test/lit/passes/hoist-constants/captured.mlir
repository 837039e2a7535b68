// RUN: anvl-opt %s --verify-each --anvl-hoist-constants | filecheck %s
// RUN: anvl-opt %s --anvl-hoist-constants --anvl-hoist-constants | filecheck %s

// Captured arrays become leading arguments in the order of their first use; the same one twice is
// one argument, and one that nobody uses is gone. Doing it again changes nothing.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[C1:[a-zA-Z0-9_]+]]: tensor<2xf64> {anvl.captured = 7 : i64, anvl.constant = "c1"}
// CHECK-SAME:    %[[C2:[a-zA-Z0-9_]+]]: tensor<2xf64> {anvl.captured = 3 : i64, anvl.constant = "c2"}
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf64> {x.name = "x"}
// CHECK-NEXT:    %[[A:.*]] = "anvl.add"(%[[X]], %[[C1]])
// CHECK-NEXT:    %[[B:.*]] = "anvl.add"(%[[A]], %[[C2]])
// CHECK-NEXT:    %[[C:.*]] = "anvl.add"(%[[B]], %[[C1]])
// CHECK-NEXT:    return %[[C]]
func.func @main(%x: tensor<2xf64> {x.name = "x"}) -> tensor<2xf64> {
  %unused = "anvl.captured"() {index = 0 : i64} : () -> tensor<9xf64>
  %c = "anvl.captured"() {index = 7 : i64} : () -> tensor<2xf64>
  %0 = "anvl.add"(%x, %c) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %d = "anvl.captured"() {index = 3 : i64} : () -> tensor<2xf64>
  %1 = "anvl.add"(%0, %d) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %e = "anvl.captured"() {index = 7 : i64} : () -> tensor<2xf64>
  %2 = "anvl.add"(%1, %e) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %2 : tensor<2xf64>
}
