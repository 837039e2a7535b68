// RUN: anvl-opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: anvl-opt %s --mlir-print-debuginfo | filecheck %s --check-prefix=DEBUG
// RUN: anvl-opt %s --mlir-print-debuginfo --mlir-print-local-scope | filecheck %s --check-prefix=LOCAL
// RUN: anvl-opt %s --mlir-elide-elementsattrs-if-larger=2 | filecheck %s --check-prefix=ELIDE
// RUN: anvl-opt %s --mlir-use-nameloc-as-prefix | filecheck %s --check-prefix=NAMES
// RUN: anvl-opt %s --verify-roundtrip | filecheck %s --check-prefix=PLAIN

// One module, printed in each form that MLIR has.

// GENERIC: "func.func"() <{
// GENERIC: "anvl.sin"(%{{.*}}) : (tensor<3xf32>) -> tensor<3xf32>
// DEBUG:   loc(#[[LOC:.*]])
// DEBUG:   #{{.*}} = loc("{{.*}}print-forms.mlir":[[# @LINE + 9]]:8)
// LOCAL:   "anvl.sin"{{.*}} loc("loss")
// ELIDE:   dense_resource<__elided__>
// NAMES:   %loss = "anvl.sin"
// PLAIN:       func.func @f
// PLAIN-NEXT:    stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// PLAIN-NEXT:    %[[SIN:.*]] = "anvl.sin"
// PLAIN-NEXT:    return %[[SIN]]
func.func @f() -> tensor<3xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %1 = "anvl.sin"(%0) : (tensor<3xf32>) -> tensor<3xf32> loc("loss")
  return %1 : tensor<3xf32>
}
