// RUN: anvl-reduce %S/Inputs/long.mlir --load=%S/Inputs/reduced_passes.py --differs=reduced-sign 2>&1 | filecheck %s --check-prefix=SIGN
// RUN: anvl-reduce %S/Inputs/long.mlir --load=%S/Inputs/reduced_passes.py --differs=reduced-permutation 2>&1 | filecheck %s --check-prefix=PERMUTATION
// RUN: anvl-reduce %S/Inputs/long.mlir --load=%S/Inputs/reduced_passes.py --crashes=reduced-ends 2>&1 | filecheck %s --check-prefix=ENDS
// RUN: anvl-reduce %S/Inputs/long.mlir --load=%S/Inputs/reduced_passes.py --crashes=reduced-fails 2>&1 | filecheck %s --check-prefix=FAILS
// RUN: anvl-reduce %S/Inputs/short.mlir --load=%S/Inputs/reduced_passes.py --crashes=reduced-hangs --timeout=1 2>&1 | filecheck %s --check-prefix=HANGS
// RUN: anvl-reduce %S/Inputs/long.mlir --load=%S/Inputs/reduced_passes.py --gradient 2>&1 | filecheck %s --check-prefix=GRADIENT

// Of a module of two functions, a branch and a call one op is left, which shows the failure.

// SIGN:      func.func @main(%[[X:.*]]: tensor<1x1xf32>) -> tensor<1x1xf32> {
// SIGN-NEXT:   %[[Y:.*]] = "anvl.neg"(%[[X]])
// SIGN-NEXT:   return %[[Y]]
// SIGN:      differ in @main: result 0, {{.*}}; ops 13 -> 1, {{[0-9]+}} candidates tried

// A transposition shows itself with two rows, not with one.
// PERMUTATION:      func.func @main(%[[X:.*]]: tensor<2x2xf32>) -> tensor<2x2xf32> {
// PERMUTATION-NEXT:   %[[Y:.*]] = "anvl.transpose"(%[[X]])
// PERMUTATION-NEXT:   return %[[Y]]
// PERMUTATION:      ops 13 -> 1,

// ENDS:      %{{.*}} = "anvl.div"
// ENDS-NEXT: return
// ENDS:      reduced-ends ends the process with SIGABRT; ops 13 -> 1,

// Without the negation the error is another one, about a division.
// FAILS-NOT: anvl.div
// FAILS:     "anvl.neg"
// FAILS:     reduced-fails: no negation of tensor<1x1xf32>; ops 13 -> 1,

// HANGS: "anvl.div"
// HANGS: reduced-hangs takes longer than 1 s of a processor; ops 2 -> 1,

// GRADIENT:      %[[Y:.*]] = "reduced.sine"(%[[X:.*]])
// GRADIENT-NEXT: return %[[Y]]
// GRADIENT:      @main, result 0: argument 0: {{.*}}, BAD; ops 13 -> 1,
