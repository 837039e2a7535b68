// RUN: anvl-opt %s --allow-unregistered-dialect | filecheck %s
// RUN: not anvl-opt %s 2>&1 | filecheck %s --check-prefix=ERROR

// Operations of unknown dialects are errors unless asked for.

// CHECK: "no.op"()
// ERROR: unregistered.mlir:[[# @LINE + 2]]:10: error: operation being parsed with an unregistered dialect
func.func @f() {
  "no.op"() : () -> ()
  return
}
