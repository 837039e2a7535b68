// RUN: anvl-opt %s --split-input-file --verify-diagnostics

// Both operands have one type, of a kind that the op takes.

func.func @div_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{div: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.div"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @rem_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{rem: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.rem"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @pow_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{pow: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.pow"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @atan2_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{atan2: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.atan2"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @minimum_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{minimum: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.minimum"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @polygamma_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{polygamma: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.polygamma"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @zeta_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{zeta: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.zeta"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @nextafter_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{nextafter: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.nextafter"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @igamma_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{igamma: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.igamma"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @igammac_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  // expected-error @+1 {{igammac: operands differ in type: tensor<2xf32>, tensor<3xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.igammac"(%x0, %x1) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @betainc_shapes_differ(%x0: tensor<2xf32>, %x1: tensor<3xf32>, %x2: tensor<2xf32>) {
  // expected-error @+1 {{betainc: operands differ in type: tensor<2xf32>, tensor<3xf32>, tensor<2xf32>; broadcast them to one shape first (anvl.numpy does)}}
  %y = "anvl.betainc"(%x0, %x1, %x2)
      : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
