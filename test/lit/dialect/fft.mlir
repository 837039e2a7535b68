// RUN: anvl-opt %s --verify-roundtrip --anvl-gradient | filecheck %s
// RUN: anvl-opt %s --symbol-dce --anvl-lower-to-stablehlo | filecheck %s --check-prefix=HLO
// RUN: anvl-opt %s --anvl-gradient \
// RUN:   | %run --function=rfft_vjp --args='[[1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 1.0]]' \
// RUN:   | %numbers %s

// The matrix of a transform is symmetric, so FFT is its own adjoint.  In RFFT and IRFFT all
// frequencies but the first and, of an even length, the last stand for two: their adjoints are each
// other with conjugate frequencies, weighed so.

// CHECK-LABEL: func.func private @fft_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2x3xcomplex<f64>>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<2x3xcomplex<f64>>
// CHECK:         %[[Y:.*]] = "anvl.fft"(%[[X]]) {fft_length = array<i64: 3>, {{.*}} FFT>}
// CHECK:         %[[DX:.*]] = "anvl.fft"(%[[G]]) {fft_length = array<i64: 3>, {{.*}} FFT>}
// CHECK:         return %[[Y]], %[[DX]]

// CHECK-LABEL: func.func private @rfft_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<3xcomplex<f64>>
// CHECK:         %[[Y:.*]] = "anvl.fft"(%[[X]]) {fft_length = array<i64: 4>, {{.*}} RFFT>}
// CHECK:         %[[C:.*]] = "anvl.conj"(%[[G]])
// CHECK:         dense<[4.000000e+00, 2.000000e+00, 4.000000e+00]>
// CHECK:         %[[W:.*]] = "anvl.mul"(%[[C]], %{{.*}})
// CHECK:         %[[DX:.*]] = "anvl.fft"(%[[W]]) {fft_length = array<i64: 4>, {{.*}} IRFFT>}
// CHECK:         return %[[Y]], %[[DX]]

// CHECK-LABEL: func.func private @irfft_vjp(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<3xcomplex<f64>>
// CHECK-SAME:    %[[G:[a-zA-Z0-9_]+]]: tensor<4xf64>
// CHECK:         %[[Y:.*]] = "anvl.fft"(%[[X]]) {{.*}} IRFFT>}
// CHECK:         %[[F:.*]] = "anvl.fft"(%[[G]]) {{.*}} RFFT>}
// CHECK:         %[[C:.*]] = "anvl.conj"(%[[F]])
// CHECK:         dense<[2.500000e-01, 5.000000e-01, 2.500000e-01]>
// CHECK:         %[[DX:.*]] = "anvl.mul"(%[[C]], %{{.*}})
// CHECK:         return %[[Y]], %[[DX]]

// HLO-LABEL: func.func @fft(
// HLO:         stablehlo.fft %{{.*}}, type = FFT, length = [3]
// HLO-LABEL: func.func @rfft(
// HLO:         stablehlo.fft %{{.*}}, type = RFFT, length = [4]
// HLO-LABEL: func.func @irfft(
// HLO:         stablehlo.fft %{{.*}}, type = IRFFT, length = [4]

// NUMBERS: c128[3] 10.0+0.0j -2.0+2.0j -2.0+0.0j
// NUMBERS-NEXT: f64[4] 2.0 0.0 2.0 0.0
func.func @fft(%x: tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>> {
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 3>}
    : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  return %y : tensor<2x3xcomplex<f64>>
}

func.func private @fft_vjp(tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>)
    -> (tensor<2x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>)
    attributes {
      anvl.vjp = {callee = @fft, wrt = array<i64: 0>, targets = array<i64: 0>}
    }

func.func @rfft(%x: tensor<4xf64>) -> tensor<3xcomplex<f64>> {
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>}
    : (tensor<4xf64>) -> tensor<3xcomplex<f64>>
  return %y : tensor<3xcomplex<f64>>
}

func.func private @rfft_vjp(tensor<4xf64>, tensor<3xcomplex<f64>>)
    -> (tensor<3xcomplex<f64>>, tensor<4xf64>)
    attributes {
      anvl.vjp = {callee = @rfft, wrt = array<i64: 0>, targets = array<i64: 0>}
    }

func.func @irfft(%x: tensor<3xcomplex<f64>>) -> tensor<4xf64> {
  %y = "anvl.fft"(%x) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 4>}
    : (tensor<3xcomplex<f64>>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func private @irfft_vjp(tensor<3xcomplex<f64>>, tensor<4xf64>)
    -> (tensor<4xf64>, tensor<3xcomplex<f64>>)
    attributes {
      anvl.vjp = {callee = @irfft, wrt = array<i64: 0>, targets = array<i64: 0>}
    }
