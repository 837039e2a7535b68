// RUN: anvl-reduce %S/Inputs/long.mlir --load=%S/Inputs/reduced_passes.py --differs=reduced-sign,cse --differs=cse --executor=plugin 2>&1 | filecheck %s --check-prefix=SIGN
// RUN: anvl-reduce %S/Inputs/long.mlir --load=%S/Inputs/reduced_passes.py --load=%S/../validate-each/Inputs/wrong_passes.py --crashes=my-crash,plugin 2>&1 | filecheck %s --check-prefix=EXECUTED

// Candidates are compiled, and run by the plugin that is named, in a process that one of them may end.

// SIGN:      func.func @main(%[[X:.*]]: tensor<1x1xf32>) -> tensor<1x1xf32> {
// SIGN-NEXT:   %[[Y:.*]] = "anvl.neg"(%[[X]])
// SIGN-NEXT:   return %[[Y]]
// SIGN:      differ in @main: result 0, {{.*}}; ops 13 -> 1, {{[0-9]+}} candidates tried

// EXECUTED:      "anvl.sin"
// EXECUTED-NEXT: return
// EXECUTED:      ended the process with {{.*}}; ops 13 -> 1,
