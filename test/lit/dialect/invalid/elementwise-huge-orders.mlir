// RUN: anvl-opt %s --verify-diagnostics --split-input-file

// Each order is ops of the program, so that a huge one has no end.

func.func @bessel_i_of_a_huge_order(%x: tensor<2xf32>) {
  // expected-error @+1 {{bessel_i: order is 5223372036854775807; it must be at most 1000, as each step of its recurrence is ops of the program}}
  %y = "anvl.bessel_i"(%x) {order = 5223372036854775807 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sinc_of_a_huge_order(%x: tensor<2xf32>) {
  // expected-error @+1 {{sinc: order is 51; it must be at most 50}}
  %y = "anvl.sinc"(%x) {order = 51 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @psi_of_order_0(%x: tensor<2xf32>) {
  // expected-error @+1 {{psi: order is 0; it must be from 1 to 4: digamma is that of order 0, and polygamma takes any}}
  %y = "anvl.psi"(%x) {order = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @psi_of_a_large_order(%x: tensor<2xf32>) {
  // expected-error @+1 {{psi: order is 5; it must be from 1 to 4: digamma is that of order 0, and polygamma takes any}}
  %y = "anvl.psi"(%x) {order = 5 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
