// RUN: not anvl-opt %s --verify-diagnostics 2>&1 | filecheck %s
// RUN: not anvl-opt %s --verify-diagnostics=only-expected 2>&1 | filecheck %s --check-prefix=ONLY

// What was expected and not said is an error, and so is what was said and not expected.

// CHECK:      mismatch.mlir:[[# @LINE + 7]]:6: error: expected error "something else" was not produced
// CHECK:      mismatch.mlir:[[# @LINE + 7]]:3: error: unexpected error: Dialect `no' not found
// CHECK:      mismatch.mlir:[[# @LINE + 8]]:1: error: cannot read this expectation

// ONLY-NOT:   unexpected error
// ONLY:       expected error "something else" was not produced
func.func @f() {
  // expected-error @+1 {{something else}}
  no.op
}
// expected-error {{unfinished }
