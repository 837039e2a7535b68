// RUN: anvl-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Every way to say where a diagnostic is expected.  The part that parses is still printed.

// CHECK: func.func @good
func.func @good() { return }

// -----

func.func @next_line() {
  // expected-error @+2 {{Dialect `no' not found}}
  // expected-note @below {{Available dialects}}
  no.op
}

// -----

// expected-note@below {{see existing symbol definition here}}
// expected-error@+3 {{redefinition of symbol named 'f'}}
func.func @f() { return }

func.func @f() { return }

// -----

func.func @same_line(%x: tensor<f32>) { return %x : tensor<f32> } // expected-error {{has 1 operands}}

// -----

func.func @above(%x: tensor<f32>) {
  "func.return"(%x) : (tensor<f32>) -> ()
  // expected-error-re @above {{has {{[0-9]+}} operands, but enclosing function (@{{.*}}) returns 0}}
}
