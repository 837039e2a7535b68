module attributes {anvl.version = "0.1"} {
  func.func @main(%arg0: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>) {
    %0:2 = call @total_jvp(%arg0, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>)
    %1 = "anvl.sum"(%arg0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %2 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %3 = "anvl.compare"(%1, %2) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %4 = "stablehlo.if"(%3) ({
      %13 = "anvl.sin"(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %13 : tensor<3xf64>
    }, {
      %13 = "anvl.mul"(%arg0, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %13 : tensor<3xf64>
    }) : (tensor<i1>) -> tensor<3xf64>
    %5 = "anvl.constant"() {value = dense<1.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %6:2 = call @total_1_vjp(%arg0, %5) : (tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>)
    %7 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
    %8 = "anvl.mul"(%7, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %9 = "anvl.reshape"(%arg0) : (tensor<3xf64>) -> tensor<1x3xf64>
    %10 = "anvl.reshape"(%8) : (tensor<3xf64>) -> tensor<1x3xf64>
    %11 = stablehlo.concatenate %9, %10, dim = 0 : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<2x3xf64>
    %12 = call @total_2_vmap(%11) : (tensor<2x3xf64>) -> tensor<2xf64>
    return %4, %6#1, %0#0, %0#1, %12 : tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>
  }
  func.func private @total(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = "anvl.sum"(%arg0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %1 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %2 = "anvl.compare"(%0, %1) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %3 = "stablehlo.if"(%2) ({
      %6 = "anvl.sin"(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %6 : tensor<3xf64>
    }, {
      %6 = "anvl.mul"(%arg0, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %6 : tensor<3xf64>
    }) : (tensor<i1>) -> tensor<3xf64>
    %4 = "anvl.sum"(%3) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %5 = "anvl.add"(%1, %4) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @total_jvp(tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>) attributes {anvl.jvp = {callee = @total, wrt = array<i64: 0>}}
  func.func private @total_1(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = "anvl.sum"(%arg0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %1 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %2 = "anvl.compare"(%0, %1) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %3 = "stablehlo.if"(%2) ({
      %6 = "anvl.sin"(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %6 : tensor<3xf64>
    }, {
      %6 = "anvl.mul"(%arg0, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %6 : tensor<3xf64>
    }) : (tensor<i1>) -> tensor<3xf64>
    %4 = "anvl.sum"(%3) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %5 = "anvl.add"(%1, %4) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @total_1_vjp(tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.vjp = {callee = @total_1, targets = array<i64: 0>, wrt = array<i64: 0>}}
  func.func private @total_2(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = "anvl.sum"(%arg0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %1 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %2 = "anvl.compare"(%0, %1) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %3 = "stablehlo.if"(%2) ({
      %6 = "anvl.sin"(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %6 : tensor<3xf64>
    }, {
      %6 = "anvl.mul"(%arg0, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %6 : tensor<3xf64>
    }) : (tensor<i1>) -> tensor<3xf64>
    %4 = "anvl.sum"(%3) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %5 = "anvl.add"(%1, %4) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %5 : tensor<f64>
  }
  func.func private @total_2_vmap(tensor<2x3xf64>) -> tensor<2xf64> attributes {anvl.vmap = {batched = array<i64: 0>, callee = @total_2, results = array<i64: 0>, size = 2 : i64}}
}

// -----

module attributes {anvl.version = "0.1"} {
  func.func @main(%arg0: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>) {
    %0:2 = call @total_jvp(%arg0, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>)
    %1 = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg0) : tensor<i32>, tensor<3xf64> attributes {anvl.max_iterations = 9 : i64}
    cond {
      %11 = "anvl.sum"(%iterArg_0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
      %12 = "anvl.constant"() {value = dense<1.000000e+00> : tensor<f64>} : () -> tensor<f64>
      %13 = "anvl.compare"(%11, %12) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %14 = "anvl.constant"() {value = dense<9> : tensor<i32>} : () -> tensor<i32>
      %15 = "anvl.compare"(%iterArg, %14) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %16 = "anvl.and"(%13, %15) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %16 : tensor<i1>
    } do {
      %11 = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %12 = "anvl.add"(%iterArg, %11) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %13 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
      %14 = "anvl.div"(%iterArg_0, %13) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %12, %14 : tensor<i32>, tensor<3xf64>
    }
    %3 = "anvl.constant"() {value = dense<1.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %4:2 = call @total_1_vjp(%arg0, %3) : (tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>)
    %5 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
    %6 = "anvl.mul"(%5, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %7 = "anvl.reshape"(%arg0) : (tensor<3xf64>) -> tensor<1x3xf64>
    %8 = "anvl.reshape"(%6) : (tensor<3xf64>) -> tensor<1x3xf64>
    %9 = stablehlo.concatenate %7, %8, dim = 0 : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<2x3xf64>
    %10 = call @total_2_vmap(%9) : (tensor<2x3xf64>) -> tensor<2xf64>
    return %2#1, %4#1, %0#0, %0#1, %10 : tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>
  }
  func.func private @total(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<3xf64> attributes {anvl.max_iterations = 9 : i64}
    cond {
      %5 = "anvl.sum"(%iterArg_0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
      %6 = "anvl.constant"() {value = dense<1.000000e+00> : tensor<f64>} : () -> tensor<f64>
      %7 = "anvl.compare"(%5, %6) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %8 = "anvl.constant"() {value = dense<9> : tensor<i32>} : () -> tensor<i32>
      %9 = "anvl.compare"(%iterArg, %8) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %10 = "anvl.and"(%7, %9) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %5 = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %6 = "anvl.add"(%iterArg, %5) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %7 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
      %8 = "anvl.div"(%iterArg_0, %7) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %6, %8 : tensor<i32>, tensor<3xf64>
    }
    %2 = "anvl.sum"(%1#1) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %3 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %4 = "anvl.add"(%3, %2) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %4 : tensor<f64>
  }
  func.func private @total_jvp(tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>) attributes {anvl.jvp = {callee = @total, wrt = array<i64: 0>}}
  func.func private @total_1(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<3xf64> attributes {anvl.max_iterations = 9 : i64}
    cond {
      %5 = "anvl.sum"(%iterArg_0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
      %6 = "anvl.constant"() {value = dense<1.000000e+00> : tensor<f64>} : () -> tensor<f64>
      %7 = "anvl.compare"(%5, %6) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %8 = "anvl.constant"() {value = dense<9> : tensor<i32>} : () -> tensor<i32>
      %9 = "anvl.compare"(%iterArg, %8) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %10 = "anvl.and"(%7, %9) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %5 = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %6 = "anvl.add"(%iterArg, %5) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %7 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
      %8 = "anvl.div"(%iterArg_0, %7) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %6, %8 : tensor<i32>, tensor<3xf64>
    }
    %2 = "anvl.sum"(%1#1) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %3 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %4 = "anvl.add"(%3, %2) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %4 : tensor<f64>
  }
  func.func private @total_1_vjp(tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.vjp = {callee = @total_1, targets = array<i64: 0>, wrt = array<i64: 0>}}
  func.func private @total_2(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = "anvl.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<3xf64> attributes {anvl.max_iterations = 9 : i64}
    cond {
      %5 = "anvl.sum"(%iterArg_0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
      %6 = "anvl.constant"() {value = dense<1.000000e+00> : tensor<f64>} : () -> tensor<f64>
      %7 = "anvl.compare"(%5, %6) {comparison_direction = #stablehlo<comparison_direction GT>} : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %8 = "anvl.constant"() {value = dense<9> : tensor<i32>} : () -> tensor<i32>
      %9 = "anvl.compare"(%iterArg, %8) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %10 = "anvl.and"(%7, %9) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %5 = "anvl.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %6 = "anvl.add"(%iterArg, %5) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %7 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
      %8 = "anvl.div"(%iterArg_0, %7) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      stablehlo.return %6, %8 : tensor<i32>, tensor<3xf64>
    }
    %2 = "anvl.sum"(%1#1) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %3 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %4 = "anvl.add"(%3, %2) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %4 : tensor<f64>
  }
  func.func private @total_2_vmap(tensor<2x3xf64>) -> tensor<2xf64> attributes {anvl.vmap = {batched = array<i64: 0>, callee = @total_2, results = array<i64: 0>, size = 2 : i64}}
}

// -----

module attributes {anvl.version = "0.1"} {
  func.func @main(%arg0: tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>) {
    %0:2 = call @total_jvp(%arg0, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>)
    %1 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %2:2 = call @scan_1(%1, %arg0) : (tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>)
    %3 = "anvl.constant"() {value = dense<1.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %4:2 = call @total_1_vjp(%arg0, %3) : (tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>)
    %5 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
    %6 = "anvl.mul"(%5, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %7 = "anvl.reshape"(%arg0) : (tensor<3xf64>) -> tensor<1x3xf64>
    %8 = "anvl.reshape"(%6) : (tensor<3xf64>) -> tensor<1x3xf64>
    %9 = stablehlo.concatenate %7, %8, dim = 0 : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<2x3xf64>
    %10 = call @total_2_vmap(%9) : (tensor<2x3xf64>) -> tensor<2xf64>
    return %2#0, %2#1, %4#1, %0#0, %0#1, %10 : tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>
  }
  func.func private @total(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %1:2 = call @scan(%0, %arg0) : (tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>)
    %2 = "anvl.sum"(%1#0) {axes = array<i64>} : (tensor<f64>) -> tensor<f64>
    %3 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %4 = "anvl.add"(%3, %2) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %5 = "anvl.sum"(%1#1) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %6 = "anvl.add"(%4, %5) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %6 : tensor<f64>
  }
  func.func private @lambda_1(%arg0: tensor<f64>, %arg1: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
    %0 = "anvl.add"(%arg0, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %1 = "anvl.mul"(%arg0, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %0, %1 : tensor<f64>, tensor<f64>
  }
  func.func private @scan(tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.scan = {body = @lambda_1, carry = 1 : i64, length = 3 : i64, reverse = false, xs = 1 : i64}}
  func.func private @total_jvp(tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>) attributes {anvl.jvp = {callee = @total, wrt = array<i64: 0>}}
  func.func private @lambda_3(%arg0: tensor<f64>, %arg1: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
    %0 = "anvl.add"(%arg0, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %1 = "anvl.mul"(%arg0, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %0, %1 : tensor<f64>, tensor<f64>
  }
  func.func private @scan_1(tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.scan = {body = @lambda_3, carry = 1 : i64, length = 3 : i64, reverse = false, xs = 1 : i64}}
  func.func private @total_1(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %1:2 = call @scan_2(%0, %arg0) : (tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>)
    %2 = "anvl.sum"(%1#0) {axes = array<i64>} : (tensor<f64>) -> tensor<f64>
    %3 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %4 = "anvl.add"(%3, %2) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %5 = "anvl.sum"(%1#1) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %6 = "anvl.add"(%4, %5) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %6 : tensor<f64>
  }
  func.func private @lambda_5(%arg0: tensor<f64>, %arg1: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
    %0 = "anvl.add"(%arg0, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %1 = "anvl.mul"(%arg0, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %0, %1 : tensor<f64>, tensor<f64>
  }
  func.func private @scan_2(tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.scan = {body = @lambda_5, carry = 1 : i64, length = 3 : i64, reverse = false, xs = 1 : i64}}
  func.func private @total_1_vjp(tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.vjp = {callee = @total_1, targets = array<i64: 0>, wrt = array<i64: 0>}}
  func.func private @total_2(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %1:2 = call @scan_3(%0, %arg0) : (tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>)
    %2 = "anvl.sum"(%1#0) {axes = array<i64>} : (tensor<f64>) -> tensor<f64>
    %3 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %4 = "anvl.add"(%3, %2) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %5 = "anvl.sum"(%1#1) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %6 = "anvl.add"(%4, %5) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %6 : tensor<f64>
  }
  func.func private @lambda_7(%arg0: tensor<f64>, %arg1: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
    %0 = "anvl.add"(%arg0, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %1 = "anvl.mul"(%arg0, %arg1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %0, %1 : tensor<f64>, tensor<f64>
  }
  func.func private @scan_3(tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.scan = {body = @lambda_7, carry = 1 : i64, length = 3 : i64, reverse = false, xs = 1 : i64}}
  func.func private @total_2_vmap(tensor<2x3xf64>) -> tensor<2xf64> attributes {anvl.vmap = {batched = array<i64: 0>, callee = @total_2, results = array<i64: 0>, size = 2 : i64}}
}

// -----

module attributes {anvl.version = "0.1"} {
  func.func @main(%arg0: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>) {
    %0:2 = call @total_jvp(%arg0, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>)
    %1 = call @kept_1(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %2 = "anvl.constant"() {value = dense<1.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %3:2 = call @total_1_vjp(%arg0, %2) : (tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>)
    %4 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
    %5 = "anvl.mul"(%4, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %6 = "anvl.reshape"(%arg0) : (tensor<3xf64>) -> tensor<1x3xf64>
    %7 = "anvl.reshape"(%5) : (tensor<3xf64>) -> tensor<1x3xf64>
    %8 = stablehlo.concatenate %6, %7, dim = 0 : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<2x3xf64>
    %9 = call @total_2_vmap(%8) : (tensor<2x3xf64>) -> tensor<2xf64>
    return %1, %3#1, %0#0, %0#1, %9 : tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>
  }
  func.func private @total(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = call @kept(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %2 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %3 = "anvl.add"(%2, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @kept(%arg0: tensor<3xf64>) -> tensor<3xf64> attributes {anvl.checkpoint = {kept = 0 : i64}} {
    %0 = "anvl.sin"(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.exp"(%0) : (tensor<3xf64>) -> tensor<3xf64>
    return %1 : tensor<3xf64>
  }
  func.func private @total_jvp(tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>) attributes {anvl.jvp = {callee = @total, wrt = array<i64: 0>}}
  func.func private @kept_1(%arg0: tensor<3xf64>) -> tensor<3xf64> attributes {anvl.checkpoint = {kept = 0 : i64}} {
    %0 = "anvl.sin"(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.exp"(%0) : (tensor<3xf64>) -> tensor<3xf64>
    return %1 : tensor<3xf64>
  }
  func.func private @total_1(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = call @kept_2(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %2 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %3 = "anvl.add"(%2, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @kept_2(%arg0: tensor<3xf64>) -> tensor<3xf64> attributes {anvl.checkpoint = {kept = 0 : i64}} {
    %0 = "anvl.sin"(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.exp"(%0) : (tensor<3xf64>) -> tensor<3xf64>
    return %1 : tensor<3xf64>
  }
  func.func private @total_1_vjp(tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.vjp = {callee = @total_1, targets = array<i64: 0>, wrt = array<i64: 0>}}
  func.func private @total_2(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = call @kept_3(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %2 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %3 = "anvl.add"(%2, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @kept_3(%arg0: tensor<3xf64>) -> tensor<3xf64> attributes {anvl.checkpoint = {kept = 0 : i64}} {
    %0 = "anvl.sin"(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.exp"(%0) : (tensor<3xf64>) -> tensor<3xf64>
    return %1 : tensor<3xf64>
  }
  func.func private @total_2_vmap(tensor<2x3xf64>) -> tensor<2xf64> attributes {anvl.vmap = {batched = array<i64: 0>, callee = @total_2, results = array<i64: 0>, size = 2 : i64}}
}

// -----

module attributes {anvl.version = "0.1"} {
  func.func @main(%arg0: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>) {
    %0:2 = call @total_jvp(%arg0, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>)
    %1 = call @ruled(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %2 = "anvl.constant"() {value = dense<1.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %3:2 = call @total_1_vjp(%arg0, %2) : (tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>)
    %4 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
    %5 = "anvl.mul"(%4, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %6 = "anvl.reshape"(%arg0) : (tensor<3xf64>) -> tensor<1x3xf64>
    %7 = "anvl.reshape"(%5) : (tensor<3xf64>) -> tensor<1x3xf64>
    %8 = stablehlo.concatenate %6, %7, dim = 0 : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<2x3xf64>
    %9 = call @total_2_vmap(%8) : (tensor<2x3xf64>) -> tensor<2xf64>
    return %1, %3#1, %0#0, %0#1, %9 : tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<f64>, tensor<2xf64>
  }
  func.func private @total(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = call @ruled(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %2 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %3 = "anvl.add"(%2, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @ruled(%arg0: tensor<3xf64>) -> tensor<3xf64> attributes {anvl.custom_jvp = {rule = @ruled_rule, wrt = array<i64: 0>}} {
    %0 = "anvl.exp"(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.log1p"(%0) : (tensor<3xf64>) -> tensor<3xf64>
    return %1 : tensor<3xf64>
  }
  func.func private @ruled_rule(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>, %arg2: tensor<3xf64>) -> tensor<3xf64> {
    %0 = call @ruled(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.constant"() {value = dense<2.000000e+00> : tensor<3xf64>} : () -> tensor<3xf64>
    %2 = "anvl.div"(%arg2, %1) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    return %2 : tensor<3xf64>
  }
  func.func private @total_jvp(tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<f64>) attributes {anvl.jvp = {callee = @total, wrt = array<i64: 0>}}
  func.func private @total_1(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = call @ruled(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %2 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %3 = "anvl.add"(%2, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @total_1_vjp(tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>) attributes {anvl.vjp = {callee = @total_1, targets = array<i64: 0>, wrt = array<i64: 0>}}
  func.func private @total_2(%arg0: tensor<3xf64>) -> tensor<f64> {
    %0 = call @ruled(%arg0) : (tensor<3xf64>) -> tensor<3xf64>
    %1 = "anvl.sum"(%0) {axes = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %2 = "anvl.constant"() {value = dense<0.000000e+00> : tensor<f64>} : () -> tensor<f64>
    %3 = "anvl.add"(%2, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @total_2_vmap(tensor<2x3xf64>) -> tensor<2xf64> attributes {anvl.vmap = {batched = array<i64: 0>, callee = @total_2, results = array<i64: 0>, size = 2 : i64}}
}

