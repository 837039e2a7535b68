// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of checks.

func.func @check_of_an_array(%ok: tensor<2xi1>, %words: tensor<0xui32>) {
  // expected-error @+1 {{check: ok is tensor<2xi1>; it must be tensor<i1>}}
  "anvl.check"(%ok, %words) {message = "", names = [], types = [], shape = array<i64>} : (tensor<2xi1>, tensor<0xui32>) -> ()
  return
}

// -----

func.func @check_with_other_words(%ok: tensor<i1>, %words: tensor<1xf32>) {
  // expected-error @+1 {{check: words is tensor<1xf32>; it must have one axis, of ui32}}
  "anvl.check"(%ok, %words) {message = "", names = [], types = [], shape = array<i64>} : (tensor<i1>, tensor<1xf32>) -> ()
  return
}

// -----

func.func @check_with_a_name_too_many(%ok: tensor<i1>, %words: tensor<1xui32>) {
  // expected-error @+1 {{check: there are 1 names and 0 types}}
  "anvl.check"(%ok, %words) {message = "", names = ["x"], types = [], shape = array<i64>} : (tensor<i1>, tensor<1xui32>) -> ()
  return
}
