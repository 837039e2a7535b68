// RUN: anvl-opt %s --verify-roundtrip --anvl-lower-to-stablehlo \
// RUN:   | filecheck %s --check-prefix=HLO
// RUN: %run %s --function=argmin --args='[[[1.0, 7.0, 1.0], [3.0, NaN, 1.0]]]' \
// RUN:   | %numbers %s

// The first of equals, and NaN before every number. An index has no derivative.

// HLO-LABEL: func.func private @argmin_1(
// HLO:         stablehlo.iota dim = 1
// HLO:         stablehlo.reduce({{.*}} init: {{.*}}), ({{.*}} init: {{.*}}) across dimensions = [1]
// HLO:         stablehlo.compare LT, {{.*}}, {{.*}}
// HLO:         stablehlo.compare NE, {{.*}}, {{.*}}
// HLO:         stablehlo.compare EQ, {{.*}}, {{.*}}
// HLO:         stablehlo.compare LT, {{.*}}, {{.*}}
// HLO:         stablehlo.compare NE, {{.*}}, {{.*}}
// HLO:         stablehlo.compare EQ, {{.*}}, {{.*}}
// HLO:         stablehlo.compare LT, {{.*}}, {{.*}}
// HLO:         stablehlo.select {{.*}}, {{.*}}, {{.*}}
// HLO:         stablehlo.select {{.*}}, {{.*}}, {{.*}}
// HLO:         return {{.*}}
// HLO-LABEL: func.func @argmin(
// HLO:         call @argmin_1(

// NUMBERS: i32[2] 0 1
func.func @argmin(%x: tensor<2x3xf64>) -> tensor<2xi32> {
  %y = "anvl.argmin"(%x) {axis = 1 : i64} : (tensor<2x3xf64>) -> tensor<2xi32>
  return %y : tensor<2xi32>
}
