// RUN: anvl-opt %s --verify-roundtrip | filecheck %s
// RUN: not anvl-opt %s --anvl-lower-to-stablehlo 2>&1 | filecheck %s --check-prefix=EARLY
// RUN: anvl-opt %s --anvl-vectorize | filecheck %s --check-prefix=BATCH
// RUN: anvl-opt %s --anvl-gradient | filecheck %s --check-prefix=ADJOINT
// RUN: %run %s --function=check --args='[2.0]' | %numbers %s
// RUN: not anvl-run %s --function=check --args='[-2.0]' 2>&1 | filecheck %s --check-prefix=FAILS

// A condition, and the words that its message shows.  It must become values before the program is
// lowered.  A batch is one check of all members; a derivative keeps the check of its function.

// CHECK-LABEL: func.func @check(
// CHECK:         "anvl.check"(%{{.*}}, %{{.*}}) {message = "x is {x}", names = ["x"], shape = array<i64>, types = ["f32[]"]} : (tensor<i1>, tensor<1xui32>) -> ()

// EARLY: check.mlir:[[# @LINE + 27]]:{{.*}} anvl.check is left; run anvl-functionalize-effects first

// BATCH-LABEL: func.func private @check_vmap(
// BATCH:         %[[ALL:.*]] = "anvl.all"(%[[OK:.*]]) {axes = array<i64: 0>} : (tensor<3xi1>) -> tensor<i1>
// BATCH:         "anvl.check"(%[[ALL]], %{{.*}}) {{.*}} : (tensor<i1>, tensor<1xui32>) -> ()

// ADJOINT-LABEL: func.func private @check_vjp(
// ADJOINT-COUNT-1: "anvl.check"
// ADJOINT-NOT:     "anvl.check"
// ADJOINT:         return

// NUMBERS: f32[] 4.0

// FAILS: check.mlir:[[# @LINE + 14]]:3: error: check: x is -2.0; it failed at {{.*}}check.mlir:[[# @LINE + 14]]
func.func private @check_vjp(tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    attributes {anvl.vjp = {callee = @check, wrt = array<i64: 0>, targets = array<i64: 0>}}

func.func private @check_vmap(tensor<3xf32>) -> tensor<3xf32> attributes {
  anvl.vmap = {callee = @check, batched = array<i64: 0>, results = array<i64: 0>, size = 3 : i64}
}

func.func @check(%x: tensor<f32>) -> tensor<f32> {
  %zero = "anvl.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %ok = "anvl.compare"(%x, %zero) {comparison_direction = #stablehlo<comparison_direction GE>}
    : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %words = "anvl.bitcast_convert"(%x) : (tensor<f32>) -> tensor<ui32>
  %list = "anvl.reshape"(%words) : (tensor<ui32>) -> tensor<1xui32>
  "anvl.check"(%ok, %list)
    {message = "x is {x}", names = ["x"], types = ["f32[]"], shape = array<i64>}
    : (tensor<i1>, tensor<1xui32>) -> ()
  %y = "anvl.mul"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
