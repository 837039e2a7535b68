// RUN: not anvl-opt %s --anvl-roll="always=true" 2>&1 | filecheck %s

// Values of unknown sizes can be neither carried nor stacked: ops on them repeat nothing.

// CHECK: error: anvl-roll: nothing repeats 4 times in the same way; leave out `always`
func.func @main(%v0: tensor<?xf32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %v1 = stablehlo.concatenate %v0, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v2 = stablehlo.concatenate %v1, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v3 = stablehlo.concatenate %v2, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v4 = stablehlo.concatenate %v3, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v5 = stablehlo.concatenate %v4, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v6 = stablehlo.concatenate %v5, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v7 = stablehlo.concatenate %v6, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v8 = stablehlo.concatenate %v7, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v9 = stablehlo.concatenate %v8, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v10 = stablehlo.concatenate %v9, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v11 = stablehlo.concatenate %v10, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v12 = stablehlo.concatenate %v11, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v13 = stablehlo.concatenate %v12, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v14 = stablehlo.concatenate %v13, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v15 = stablehlo.concatenate %v14, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v16 = stablehlo.concatenate %v15, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v17 = stablehlo.concatenate %v16, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v18 = stablehlo.concatenate %v17, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v19 = stablehlo.concatenate %v18, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v20 = stablehlo.concatenate %v19, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v21 = stablehlo.concatenate %v20, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v22 = stablehlo.concatenate %v21, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v23 = stablehlo.concatenate %v22, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v24 = stablehlo.concatenate %v23, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v25 = stablehlo.concatenate %v24, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v26 = stablehlo.concatenate %v25, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v27 = stablehlo.concatenate %v26, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v28 = stablehlo.concatenate %v27, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v29 = stablehlo.concatenate %v28, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v30 = stablehlo.concatenate %v29, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v31 = stablehlo.concatenate %v30, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v32 = stablehlo.concatenate %v31, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v33 = stablehlo.concatenate %v32, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v34 = stablehlo.concatenate %v33, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v35 = stablehlo.concatenate %v34, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v36 = stablehlo.concatenate %v35, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v37 = stablehlo.concatenate %v36, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v38 = stablehlo.concatenate %v37, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v39 = stablehlo.concatenate %v38, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %v40 = stablehlo.concatenate %v39, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %v40 : tensor<?xf32>
}
