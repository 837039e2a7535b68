// RUN: anvl-opt %s --anvl-lift --anvl-forward="function=main wrt=0" 2>%t | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK < %t
// RUN: sed 's/sdy.sharding_constraint/sdy.manual_computation(%x)/' %s > %t.mlir
// RUN: not anvl-opt %t.mlir 2>&1 | filecheck %s --check-prefix=ERROR
// RUN: anvl-opt %S/Inputs/sharded.mlirbc 2>&1 | filecheck %s --check-prefix=BYTES
// RUN: anvl-opt %S/Inputs/sharded.mlirbc --trust-input | filecheck %s --check-prefix=BYTES

// Shardings of arguments, results and values are kept, also in derivatives, from text and from bytecode;
// what else there is is removed and counted. A division of the computation among devices is refused.

// REMARK: shardy.mlir:1:1: remark: array placement (Shardy) is ignored: 1 mesh,
// REMARK-SAME: 1 sharding rule

// BYTES-NOT: remark
// BYTES: func.func public @main(%x: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding =
// BYTES-SAME{LITERAL}: "#sdy.sharding<mesh<[\22data\22=1]>, [{\22data\22}]>"
// BYTES-NOT: sdy.

// ERROR: :[[# @LINE + 17]]:8: error: sdy.manual_computation divides the computation among
// ERROR-SAME: devices, in a form that anvl does not read; write it as a manual computation

// CHECK-NOT: sdy
// CHECK-LABEL: func.func @main_tangent(
// CHECK-SAME:      tensor<2xf64> {anvl.sharding = "x=2;x"}, %{{.*}}: tensor<2xf64> {anvl.sharding = "x=2;x"})
// CHECK-SAME:      -> (tensor<2xf64> {anvl.sharding = "x=2;-"}, tensor<2xf64> {anvl.sharding = "x=2;-"})
// CHECK:         "anvl.with_sharding"(%{{.*}}) {mesh = "x=2", spec = "x"}
// CHECK:         "anvl.with_sharding"(%{{.*}}) {mesh = "x=2", spec = "x"}
// CHECK-LABEL: func.func @main(
// CHECK:         "anvl.sin"
// CHECK:         "anvl.with_sharding"
// CHECK:         "anvl.sin"
sdy.mesh @mesh = <["x"=2]> {note = "}"}
func.func @main(%x: tensor<2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.sine %x : tensor<2xf64>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<2xf64>
  %2 = stablehlo.sine %1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=2}>}
    : tensor<2xf64>
  return %2 : tensor<2xf64>
}
