// RUN: anvl-opt %s --anvl-lift | filecheck %s
// RUN: anvl-opt %s --anvl-lift --anvl-lift | filecheck %s

// Constants of complex numbers, and calls of handlers as JAX writes them: with the attributes of the
// handler beside those of the op, where a rule of it would lose them.

// CHECK-LABEL: func.func @complex(
// CHECK:         "anvl.constant"() {value = dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>}
// CHECK:         "anvl.constant"() {value = dense<[(1.0{{.*}},2.0{{.*}}), (0.0{{.*}},-1.0{{.*}})]>
// CHECK-NOT:     stablehlo.constant
func.func @complex() -> (tensor<complex<f32>>, tensor<2xcomplex<f64>>) {
  %0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  %1 = stablehlo.constant dense<[(1.0, 2.0), (0.0, -1.0)]> : tensor<2xcomplex<f64>>
  return %0, %1 : tensor<complex<f32>>, tensor<2xcomplex<f64>>
}

// CHECK-LABEL: func.func @called(
// CHECK:         stablehlo.custom_call @routine(%{{.*}}) {api_version = 4 : i32,
// CHECK-SAME:      backend_config = {uplo = 76 : ui8}
// CHECK-NOT:     mhlo
// CHECK:         stablehlo.custom_call @other(%{{.*}}) {backend_config = "text"}
func.func @called(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = stablehlo.custom_call @routine(%x)
    {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}}
    : (tensor<2xf64>) -> tensor<2xf64>
  %1 = stablehlo.custom_call @other(%0) {backend_config = "text"}
    : (tensor<2xf64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}
