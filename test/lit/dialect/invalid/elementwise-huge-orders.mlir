// RUN: anvl-opt %s --verify-diagnostics --split-input-file

// Each order is ops of the program, so that a huge one has no end.

func.func @bessel_i_of_a_huge_order(%x: tensor<2xf32>) {
  // expected-error @+1 {{bessel_i: order is 9223372036854775807; it must be at most 1000, as each step of its recurrence is ops of the program}}
  %y = "anvl.bessel_i"(%x) {order = 9223372036854775807 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sinc_of_a_huge_order(%x: tensor<2xf32>) {
  // expected-error @+1 {{sinc: order is 51; it must be at most 50}}
  %y = "anvl.sinc"(%x) {order = 51 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
