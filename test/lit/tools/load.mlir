// RUN: anvl-opt --load=%S/Inputs/my_ops.py %s --anvl-gradient="function=f wrt=0,1" \
// RUN:   2>/dev/null | filecheck %s
// RUN: anvl-opt %s --anvl-gradient="function=f wrt=0,1" --anvl-lower-to-stablehlo \
// RUN:   --load %S/Inputs/my_ops.py 2>/dev/null | filecheck %s --check-prefix=HLO
// RUN: anvl-opt --load=%S/Inputs/my_passes.py --load=%S/Inputs/my_ops.py %s --my-rescale=to=4.0 \
// RUN:   2>/dev/null | filecheck %s --check-prefix=PASS
// RUN: anvl-opt --load=%S/Inputs/my_ops.py %s --emit-bytecode -o %t.mlirbc 2>/dev/null
// RUN: anvl-opt --load=%S/Inputs/my_ops.py %t.mlirbc --verify-roundtrip 2>/dev/null \
// RUN:   | filecheck %s --check-prefix=READ
// RUN: %run %s --load=%S/Inputs/my_ops.py --function=f --args='[[0.5], [2.0]]' \
// RUN:   2>/dev/null | %numbers %s --check-prefix=VALUE

// A file of a person's own is loaded before anything is read, wherever its flag stands: its ops are
// parsed, checked, differentiated, lowered and run, and its passes have flags.

// CHECK-LABEL: func.func @f_adjoint(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<1xf32>, %[[Y:[a-zA-Z0-9_]+]]: tensor<1xf32>
// CHECK:         %[[S:.*]] = "my.sin_pi"(%[[X]])
// CHECK:         %[[Z:.*]]:2 = "my.axpy"(%[[S]], %[[Y]]) {a = 3.000000e+00 :
// CHECK:         %[[COS:.*]] = "anvl.cos"
// CHECK:         "anvl.mul"(%{{.*}}, %[[COS]])

// HLO-LABEL: func.func @f_adjoint(
// HLO:         stablehlo.sine
// HLO-NOT:     "my.

// PASS-LABEL: func.func @f(
// PASS:         "my.axpy"(%{{.*}}) {a = 4.000000e+00 :

// READ-LABEL: func.func @f(
// READ:         "my.axpy"(%{{.*}}) {a = 3.000000e+00 :

// 3 sin(pi / 2) + 2
// VALUE: f32[] 5.0
func.func @f(%x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<f32> {
  %0 = "my.sin_pi"(%x) : (tensor<1xf32>) -> tensor<1xf32>
  %1:2 = "my.axpy"(%0, %y) {a = 3.0 : f64} : (tensor<1xf32>, tensor<1xf32>)
    -> (tensor<1xf32>, tensor<1xf32>)
  %2 = "anvl.sum"(%1#0) {axes = array<i64: 0>} : (tensor<1xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
