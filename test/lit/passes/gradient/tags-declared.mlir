// RUN: anvl-opt %s --split-input-file --verify-diagnostics --anvl-gradient

// A declaration says the types of the tags that it asks for, and these are checked.

func.func private @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "anvl.tag"(%x) {label = "t"} : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// expected-error @+1 {{@without_the_tag is declared as (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>, but this derivative is (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)}}
func.func private @without_the_tag(tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    attributes {anvl.vjp = {callee = @f, wrt = array<i64>, targets = array<i64: 0>, tags = ["t"]}}

// -----

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
// expected-error @+1 {{must be {callee = @f, wrt = array<i64: ...>, targets = array<i64: ...>}, got}}
func.func private @tags_are_a_list(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64>, targets = array<i64: 0>, tags = "t"}}

// -----

// expected-error @+1 {{@f: there is no tag 't'; the tags are none}}
func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
func.func private @of_nothing(tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64>, targets = array<i64: 0>, tags = ["t"]}}
