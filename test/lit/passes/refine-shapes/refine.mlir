// RUN: anvl-opt %s --anvl-refine-shapes="types=tensor<5x3xf32>,tensor<3x2xf32>" | filecheck %s
// RUN: anvl-opt %s --anvl-refine-shapes="types=tensor<5x3xf32>,tensor<3x2xf32>" --anvl-refine-shapes="types=tensor<5x3xf32>,tensor<3x2xf32>" | filecheck %s
// RUN: anvl-opt %s --anvl-refine-shapes="function=fixed types=tensor<2xf32>" | filecheck %s --check-prefix=FIXED

// Sizes follow from the types of the arguments, through calls; assertions about them are checked.
// A second run changes nothing.

// CHECK-NOT:     func.func private @rows
// CHECK-LABEL:   func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<5x3xf32>, %[[W:.*]]: tensor<3x2xf32>) -> (tensor<10x2xf32> {my.result})
// CHECK-NOT:     custom_call
// CHECK-DAG:     %[[N:.*]] = stablehlo.constant dense<5> : tensor<i32>
// CHECK-DAG:     %[[D:.*]] = stablehlo.dot_general %[[X]], %[[W]], contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
// CHECK-DAG:     %[[F:.*]] = stablehlo.convert %[[N]] : (tensor<i32>) -> tensor<f32>
// CHECK:         %[[B:.*]] = stablehlo.broadcast_in_dim %[[F]], dims = [] : (tensor<f32>) -> tensor<5x2xf32>
// CHECK-NEXT:    %[[P:.*]] = stablehlo.multiply %[[D]], %[[B]] : tensor<5x2xf32>
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.concatenate %[[P]], %[[P]], dim = 0 : (tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<10x2xf32>
// CHECK-NEXT:    return %[[Y]] : tensor<10x2xf32>
func.func @main(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>) -> (tensor<?x2xf32> {my.result}) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ok = stablehlo.compare GE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = "no rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %y = call @rows(%n, %x, %w) : (tensor<i32>, tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
func.func private @rows(%n: tensor<i32>, %x: tensor<?x3xf32>, %w: tensor<3x2xf32>) -> tensor<?x2xf32> {
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %m, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %f, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x2xf32>
  %p = stablehlo.multiply %d, %b : tensor<?x2xf32>
  %y = stablehlo.concatenate %p, %p, dim = 0 : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Another function is left alone, also one without unknown sizes that is asked for.
// FIXED-LABEL: func.func @main(
// FIXED-SAME:  tensor<?x3xf32>
// FIXED-LABEL: func.func @fixed(
// FIXED-SAME:  %[[X:.*]]: tensor<2xf32>) -> tensor<2xf32>
// FIXED-NEXT:  %[[Y:.*]] = "anvl.sin"(%[[X]]) : (tensor<2xf32>) -> tensor<2xf32>
// FIXED-NEXT:  return %[[Y]]
func.func @fixed(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "anvl.sin"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
