module {
  func.func @main(%arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x2x4x4xf32>
    %cst_0 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_5> : tensor<8xf32>
    %cst_1 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_4> : tensor<8xf32>
    %cst_2 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_3> : tensor<8xf32>
    %cst_3 = stablehlo.constant dense_resource<torch_tensor_8_16_torch.float32> : tensor<8x16xf32>
    %cst_4 = stablehlo.constant dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>
    %cst_5 = stablehlo.constant dense_resource<torch_tensor_16_8_torch.float32> : tensor<16x8xf32>
    %cst_6 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_2> : tensor<8xf32>
    %cst_7 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_1> : tensor<8xf32>
    %cst_8 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32> : tensor<8xf32>
    %cst_9 = stablehlo.constant dense_resource<torch_tensor_8_8_torch.float32> : tensor<8x8xf32>
    %cst_10 = stablehlo.constant dense_resource<torch_tensor_24_torch.float32> : tensor<24xf32>
    %cst_11 = stablehlo.constant dense_resource<torch_tensor_24_8_torch.float32> : tensor<24x8xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<2x4x16xf32>
    %cst_16 = arith.constant dense<0.70710678118654757> : tensor<1xf64>
    %cst_17 = arith.constant dense<0xFFF0000000000000> : tensor<1xf64>
    %cst_18 = arith.constant dense<1> : tensor<1xi64>
    %cst_19 = arith.constant dense<8> : tensor<1xi64>
    %cst_20 = arith.constant dense<1.000000e-05> : tensor<1xf64>
    %0 = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<2x4x8xf32>) -> tensor<4x2x8xf32>
    %1 = stablehlo.transpose %cst_11, dims = [1, 0] : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %2 = stablehlo.reshape %0 : (tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<8x24xf32>) -> tensor<4x8x24xf32>
    %4 = stablehlo.reshape %3 : (tensor<4x8x24xf32>) -> tensor<4x8x24xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<4x8x24xf32>) -> tensor<4x8x24xf32>
    %6 = stablehlo.dot_general %2, %5, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x2x8xf32>, tensor<4x8x24xf32>) -> tensor<4x2x24xf32>
    %7 = stablehlo.reshape %6 : (tensor<4x2x24xf32>) -> tensor<4x2x24xf32>
    %8 = stablehlo.broadcast_in_dim %cst_10, dims = [2] : (tensor<24xf32>) -> tensor<4x2x24xf32>
    %9 = stablehlo.add %7, %8 : tensor<4x2x24xf32>
    %10 = stablehlo.reshape %9 : (tensor<4x2x24xf32>) -> tensor<4x2x3x8xf32>
    %11 = stablehlo.reshape %10 : (tensor<4x2x3x8xf32>) -> tensor<1x4x2x3x8xf32>
    %12 = stablehlo.transpose %11, dims = [3, 1, 2, 0, 4] : (tensor<1x4x2x3x8xf32>) -> tensor<3x4x2x1x8xf32>
    %13 = stablehlo.reshape %12 : (tensor<3x4x2x1x8xf32>) -> tensor<3x4x2x8xf32>
    %14 = stablehlo.slice %13 [0:1, 0:4, 0:2, 0:8] : (tensor<3x4x2x8xf32>) -> tensor<1x4x2x8xf32>
    %15 = stablehlo.reshape %14 : (tensor<1x4x2x8xf32>) -> tensor<4x2x8xf32>
    %16 = stablehlo.slice %13 [1:2, 0:4, 0:2, 0:8] : (tensor<3x4x2x8xf32>) -> tensor<1x4x2x8xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x4x2x8xf32>) -> tensor<4x2x8xf32>
    %18 = stablehlo.slice %13 [2:3, 0:4, 0:2, 0:8] : (tensor<3x4x2x8xf32>) -> tensor<1x4x2x8xf32>
    %19 = stablehlo.reshape %18 : (tensor<1x4x2x8xf32>) -> tensor<4x2x8xf32>
    %20 = stablehlo.reshape %15 : (tensor<4x2x8xf32>) -> tensor<4x4x4xf32>
    %21 = stablehlo.transpose %20, dims = [1, 0, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %22 = stablehlo.reshape %17 : (tensor<4x2x8xf32>) -> tensor<4x4x4xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %24 = stablehlo.reshape %19 : (tensor<4x2x8xf32>) -> tensor<4x4x4xf32>
    %25 = stablehlo.transpose %24, dims = [1, 0, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %26 = stablehlo.reshape %21 : (tensor<4x4x4xf32>) -> tensor<2x2x4x4xf32>
    %27 = stablehlo.reshape %23 : (tensor<4x4x4xf32>) -> tensor<2x2x4x4xf32>
    %28 = stablehlo.reshape %25 : (tensor<4x4x4xf32>) -> tensor<2x2x4x4xf32>
    %29 = stablehlo.convert %cst_16 : (tensor<1xf64>) -> tensor<1xf32>
    %30 = stablehlo.reshape %29 : (tensor<1xf32>) -> tensor<f32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %32 = stablehlo.multiply %26, %31 : tensor<2x2x4x4xf32>
    %33 = stablehlo.transpose %27, dims = [0, 1, 3, 2] : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %34 = stablehlo.multiply %33, %31 : tensor<2x2x4x4xf32>
    %35 = stablehlo.reshape %32 : (tensor<2x2x4x4xf32>) -> tensor<4x4x4xf32>
    %36 = stablehlo.reshape %34 : (tensor<2x2x4x4xf32>) -> tensor<4x4x4xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %38 = stablehlo.dot_general %35, %37, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %39 = stablehlo.reshape %38 : (tensor<4x4x4xf32>) -> tensor<2x2x4x4xf32>
    %40 = stablehlo.reduce(%39 init: %cst_12) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %41 = stablehlo.reshape %40 : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %43 = stablehlo.subtract %39, %42 : tensor<2x2x4x4xf32>
    %44 = stablehlo.exponential %43 : tensor<2x2x4x4xf32>
    %45 = stablehlo.reduce(%44 init: %cst_13) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %46 = stablehlo.reshape %45 : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %48 = stablehlo.divide %44, %47 : tensor<2x2x4x4xf32>
    %49 = stablehlo.convert %cst_17 : tensor<1xf64>
    %50 = stablehlo.reshape %49 : (tensor<1xf64>) -> tensor<f64>
    %51 = stablehlo.convert %50 : (tensor<f64>) -> tensor<f32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %53 = stablehlo.compare EQ, %39, %52, FLOAT : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xi1>
    %54 = stablehlo.reduce(%53 init: %c) applies stablehlo.and across dimensions = [3] : (tensor<2x2x4x4xi1>, tensor<i1>) -> tensor<2x2x4xi1>
    %55 = stablehlo.reshape %54 : (tensor<2x2x4xi1>) -> tensor<2x2x4x1xi1>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xi1>) -> tensor<2x2x4x4xi1>
    %57 = stablehlo.broadcast_in_dim %cst, dims = [0, 1, 2, 3] : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %58 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %59 = stablehlo.select %56, %57, %58 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
    %60 = stablehlo.reshape %59 : (tensor<2x2x4x4xf32>) -> tensor<4x4x4xf32>
    %61 = stablehlo.reshape %28 : (tensor<2x2x4x4xf32>) -> tensor<4x4x4xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %63 = stablehlo.dot_general %60, %62, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %64 = stablehlo.reshape %63 : (tensor<4x4x4xf32>) -> tensor<2x2x4x4xf32>
    %65 = stablehlo.transpose %64, dims = [2, 0, 1, 3] : (tensor<2x2x4x4xf32>) -> tensor<4x2x2x4xf32>
    %66 = stablehlo.transpose %65, dims = [1, 2, 0, 3] : (tensor<4x2x2x4xf32>) -> tensor<2x2x4x4xf32>
    %67 = stablehlo.transpose %66, dims = [2, 0, 1, 3] : (tensor<2x2x4x4xf32>) -> tensor<4x2x2x4xf32>
    %68 = stablehlo.reshape %67 : (tensor<4x2x2x4xf32>) -> tensor<8x8xf32>
    %69 = stablehlo.transpose %cst_9, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %70 = stablehlo.dot_general %68, %69, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %71 = stablehlo.convert %cst_18 : (tensor<1xi64>) -> tensor<1xf32>
    %72 = stablehlo.reshape %71 : (tensor<1xf32>) -> tensor<f32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %74 = stablehlo.multiply %70, %73 : tensor<8x8xf32>
    %75 = stablehlo.broadcast_in_dim %72, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %76 = stablehlo.multiply %75, %cst_8 : tensor<8xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %78 = stablehlo.add %74, %77 : tensor<8x8xf32>
    %79 = stablehlo.reshape %78 : (tensor<8x8xf32>) -> tensor<4x2x8xf32>
    %80 = stablehlo.transpose %79, dims = [1, 0, 2] : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32>
    %81 = stablehlo.add %arg0, %80 : tensor<2x4x8xf32>
    %82 = stablehlo.convert %81 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf64>
    %83 = stablehlo.reduce(%82 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf64>, tensor<f64>) -> tensor<2x4xf64>
    %84 = stablehlo.reshape %83 : (tensor<2x4xf64>) -> tensor<2x4x1xf64>
    %85 = stablehlo.convert %cst_19 : (tensor<1xi64>) -> tensor<1xf64>
    %86 = stablehlo.reshape %85 : (tensor<1xf64>) -> tensor<f64>
    %87 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f64>) -> tensor<2x4x1xf64>
    %88 = stablehlo.divide %84, %87 : tensor<2x4x1xf64>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<2x4x1xf64>) -> tensor<2x4x8xf64>
    %90 = stablehlo.subtract %82, %89 : tensor<2x4x8xf64>
    %91 = stablehlo.multiply %90, %90 : tensor<2x4x8xf64>
    %92 = stablehlo.reduce(%91 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf64>, tensor<f64>) -> tensor<2x4xf64>
    %93 = stablehlo.reshape %92 : (tensor<2x4xf64>) -> tensor<2x4x1xf64>
    %94 = stablehlo.divide %93, %87 : tensor<2x4x1xf64>
    %95 = stablehlo.convert %94 : (tensor<2x4x1xf64>) -> tensor<2x4x1xf32>
    %96 = stablehlo.reduce(%81 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %97 = stablehlo.reshape %96 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %98 = stablehlo.convert %cst_19 : (tensor<1xi64>) -> tensor<1xf32>
    %99 = stablehlo.reshape %98 : (tensor<1xf32>) -> tensor<f32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %101 = stablehlo.divide %97, %100 : tensor<2x4x1xf32>
    %102 = stablehlo.convert %cst_20 : (tensor<1xf64>) -> tensor<1xf32>
    %103 = stablehlo.reshape %102 : (tensor<1xf32>) -> tensor<f32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [] : (tensor<f32>) -> tensor<2x4x1xf32>
    %105 = stablehlo.add %95, %104 : tensor<2x4x1xf32>
    %106 = stablehlo.rsqrt %105 : tensor<2x4x1xf32>
    %107 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %108 = stablehlo.subtract %81, %107 : tensor<2x4x8xf32>
    %109 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %110 = stablehlo.multiply %108, %109 : tensor<2x4x8xf32>
    %111 = stablehlo.broadcast_in_dim %cst_7, dims = [2] : (tensor<8xf32>) -> tensor<2x4x8xf32>
    %112 = stablehlo.multiply %110, %111 : tensor<2x4x8xf32>
    %113 = stablehlo.broadcast_in_dim %cst_6, dims = [2] : (tensor<8xf32>) -> tensor<2x4x8xf32>
    %114 = stablehlo.add %112, %113 : tensor<2x4x8xf32>
    %115 = stablehlo.reshape %114 : (tensor<2x4x8xf32>) -> tensor<8x8xf32>
    %116 = stablehlo.transpose %cst_5, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %117 = stablehlo.dot_general %115, %116, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %118 = stablehlo.broadcast_in_dim %72, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %119 = stablehlo.multiply %117, %118 : tensor<8x16xf32>
    %120 = stablehlo.broadcast_in_dim %72, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %121 = stablehlo.multiply %120, %cst_4 : tensor<16xf32>
    %122 = stablehlo.broadcast_in_dim %121, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
    %123 = stablehlo.add %119, %122 : tensor<8x16xf32>
    %124 = stablehlo.reshape %123 : (tensor<8x16xf32>) -> tensor<2x4x16xf32>
    %125 = stablehlo.maximum %124, %cst_15 : tensor<2x4x16xf32>
    %126 = stablehlo.reshape %125 : (tensor<2x4x16xf32>) -> tensor<8x16xf32>
    %127 = stablehlo.transpose %cst_3, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %128 = stablehlo.dot_general %126, %127, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %129 = stablehlo.multiply %128, %73 : tensor<8x8xf32>
    %130 = stablehlo.multiply %75, %cst_2 : tensor<8xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %132 = stablehlo.add %129, %131 : tensor<8x8xf32>
    %133 = stablehlo.reshape %132 : (tensor<8x8xf32>) -> tensor<2x4x8xf32>
    %134 = stablehlo.add %114, %133 : tensor<2x4x8xf32>
    %135 = stablehlo.convert %134 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf64>
    %136 = stablehlo.reduce(%135 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf64>, tensor<f64>) -> tensor<2x4xf64>
    %137 = stablehlo.reshape %136 : (tensor<2x4xf64>) -> tensor<2x4x1xf64>
    %138 = stablehlo.divide %137, %87 : tensor<2x4x1xf64>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2] : (tensor<2x4x1xf64>) -> tensor<2x4x8xf64>
    %140 = stablehlo.subtract %135, %139 : tensor<2x4x8xf64>
    %141 = stablehlo.multiply %140, %140 : tensor<2x4x8xf64>
    %142 = stablehlo.reduce(%141 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf64>, tensor<f64>) -> tensor<2x4xf64>
    %143 = stablehlo.reshape %142 : (tensor<2x4xf64>) -> tensor<2x4x1xf64>
    %144 = stablehlo.divide %143, %87 : tensor<2x4x1xf64>
    %145 = stablehlo.convert %144 : (tensor<2x4x1xf64>) -> tensor<2x4x1xf32>
    %146 = stablehlo.reduce(%134 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<2x4x8xf32>, tensor<f32>) -> tensor<2x4xf32>
    %147 = stablehlo.reshape %146 : (tensor<2x4xf32>) -> tensor<2x4x1xf32>
    %148 = stablehlo.divide %147, %100 : tensor<2x4x1xf32>
    %149 = stablehlo.add %145, %104 : tensor<2x4x1xf32>
    %150 = stablehlo.rsqrt %149 : tensor<2x4x1xf32>
    %151 = stablehlo.broadcast_in_dim %148, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %152 = stablehlo.subtract %134, %151 : tensor<2x4x8xf32>
    %153 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2] : (tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
    %154 = stablehlo.multiply %152, %153 : tensor<2x4x8xf32>
    %155 = stablehlo.broadcast_in_dim %cst_1, dims = [2] : (tensor<8xf32>) -> tensor<2x4x8xf32>
    %156 = stablehlo.multiply %154, %155 : tensor<2x4x8xf32>
    %157 = stablehlo.broadcast_in_dim %cst_0, dims = [2] : (tensor<8xf32>) -> tensor<2x4x8xf32>
    %158 = stablehlo.add %156, %157 : tensor<2x4x8xf32>
    return %158 : tensor<2x4x8xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_8_torch.float32_5: "0x040000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_8_torch.float32_4: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_8_torch.float32_3: "0x040000000294153E921B593E4C8C2EBEC042E03DC492EDBDF0A6D4BC26FA6E3EF007033D",
      torch_tensor_8_16_torch.float32: "0x040000004022563C38E440BE40462A3DEE20323ED0494A3D925D743EB8EBEE3DE6E449BED087C9BD186B76BD3829993D00A6E9BB9A004E3E90E8ED3CA42022BE10B5BBBD68FB54BE6C2C8DBD74BAFB3D80361E3B6A1F74BE28845DBEA49FB93D1EB160BED0304CBE8AA118BE90FF733EC49591BD2819D3BDC0DA2CBED8C3233E105825BD8076453D909F743DCC65903DD8DC233E408E543C10D7D33C50FF84BCE2ED46BE38576ABD2AA6733ED46E35BE5E9021BE48087EBE405F783C4A716FBE281F03BE90E36B3E6C0DD43DB863083E38572F3D2A8B59BE643EEEBD3A3F4FBEC44C1EBED05BAE3D5C018EBDEC2D7A3EEE9C3ABE14795ABE68C67C3EAA255DBEA2D6593EC8DE893DE05469BE80F85E3E98638BBDE41DD3BD94B447BE5C8958BED0FD633D6A757BBEE464D23D300A7DBD30AFB33D98B77ABD200FB13D00C6DFBB487C963DBC4DD0BDAC1630BE6069023D3C6623BE6AB21EBE522976BEE832A3BD640E2BBE5C5C473E6C7C383E90F5723D5600503E0489F63D642871BEB0E9CCBCD03726BD0E6F1BBEBCD2913D50CD9FBDDCD3F4BD80FE3EBBEE342ABEF6E0533EE8FD213EF653723EF05E35BD7837A73DE0BF24BCB4D553BE38A3E73D60D032BE88D2B8BD3849E5BDE6BE79BEC0EA123C70C1273DD04198BCAE463C3EA064443C18853ABD26A20BBE2C0A18BE309511BD5C3F16BE54E028BED06F07BDB0CD34BDAA441CBE",
      torch_tensor_16_torch.float32: "0x04000000114393BD1DD72F3E8953B3BDA490B6BDF95971BE58E19ABE3EC42D3E6F5DA3BDD5A6633E00A0BE3CC871EBB9A86CA3BE80C7FF3B9DA3A3BD7A974EBE3194A7BD",
      torch_tensor_16_8_torch.float32: "0x04000000A81695BEB1A105BE71A868BE6BB0323DA9029E3CF29CA6BC509BB33EA41C0ABE622450BD1612BB3DB514973E5935893E5D6F253D08F808BE70DFED3D1ACA633E8B3EF7BB7BC5463E6926943E0BF841BE8813A0BD78F9A2BEE136A63DBE02813E009C8CBD9914673D065EE73DD51AF7BB58BB8C3EF506533DA3EEB1BEB67B95BE0259B3BE30C06E3CDBB4433E440E3FBDBFC1A23E7D4382BDB209943D853BA33E8D39373E28CD38BCAB5CAE3E244E58BEBFD9063E0BA4643EDB2B60BE130AAABEDC9AE73D7A5A09BE25B336BEDA05903D085183BE3ACFA23EB3FE01BD34E3E7BD2A54973EFC9CC93DF0F3893D151A2DBE6386AC3E0088DCBD2A8F963E42E7D4BCB99C353EC08E7E3EF3C486BEC84C71BE7100B3BEFE8F823E8EAC9B3E6A5004BEAB5131BE2D68723D04EA423E5CBAB23DA7E796BD9E4866BEEDD19A3E10766ABE37EBAEBE578D10BE0963903D0491063E0EFD0B3E82BA51BE60F20ABEC3FD20BE17522FBEBF7798BEE737943D0493D2BD723BAEBE8F6653BEBE6B59BE852B1CBE88B45FBE4C237BBDBEBD013E608092BE7C1CF8BCCB61D0BD621839BEB6C7A0BD7C7119BE41383A3C37AB82BE2E50893D1F33A63EA0FE953EC75222BE5C2EDF3DA819ABBE7568983EC265B4BE7DC3A1BEFD7CA2BEB51AA8BE961F443D3E78BFBD5B4EAD3DE934B3BC42DDF8BB3FCC02BEAFCB56BE388F97BEC7AD363EBAAA3ABE",
      torch_tensor_8_torch.float32_2: "0x040000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_8_torch.float32_1: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_8_torch.float32: "0x040000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_8_8_torch.float32: "0x0400000022B36F3E3654CA3D8E7D6E3E4B4656BE4BA454BE933E12BE84EBCD3C3A5CF53D170C50BE625808BD2C4A7ABD2E2BA53ED69002BEA56BAF3E9A0C5EBEA02E15BE062788BE645B853E5BF778BE1CDC153E220905BE3063B43E98454C3D42339DBE923B793DCC10303D5915AFBEC750913DB5B5AC3E4C5FD03D7B71F6BA531A96BD9B6AC03D394B21BEF742B23ED07B9C3EE721293E06DA06BE0FF8A9BE746A50BE0F01B03E5D27A6BEEED6ACBE6BBFD0BC8B5DE63DC92AB4BEF00FA8BE09F2FB3A56E1F2BD9F397C3EF9E3CF3DFD209DBE8727A3BE74A1783EE86480BD5D601EBE0D12E43D7F4E8EBDE1242D3E6D9EB73DD1C01CBEC81591BE9EFC433E488459BE",
      torch_tensor_24_torch.float32: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_24_8_torch.float32: "0x040000002895D9BE75E8CC3CA129583E0FF08DBE3371DB3DC762DE3AD014BC3E79C7BBBDEADF413B78DA40BE928EDABD94DFFD3DE1D1D5BE662FA83E2F6D9F3EB4C73B3E46F7A53EA9060ABE4BFEC93DFE76B43C5B4E99BE13772ABED0691DBE4D44DBBDB4DBC4BECFEB9BBE826D28BD7FE786BDE83FC9BE7D7BBD3D7D6E713E0BA3B83EEE95BA3E0FEB9ABE771A0EBE985952BE79A6A23D09A3ED3D9B4DC53D6E8E813E39EE693E0AFF6DBEDC31983EB68D953E4EB66A3DF3E2C0BECDF987BEFF21F73DC84D193EFCB9CE3E18AC613E91B5203EA2F871BC192C973EAA6421BE428A343E2A3053BE296F84BB6706833EE4744B3E1B01C7BDBEA9B3BB1B2676BE72624D3EF42D953E41A1183E7D88D6BEDBB49EBE886B943E6BF47DBD6627883E216BA33EB8E201BEE51382BE8C93D0BE569C293E576A633E1FBE99BD003CD7BE07CD8EBE9820BFBC1A5F4A3EC89314BE291F8FBE01589ABE205DC63E2A91203E0401B4BEDBEA88BEBF33BCBE2E4E803D290D34BE0C21C0BAB24A8CBDC410C2BE7B1EC6BE75F5ABBEE2B339BE05EE893DEA8550BE90E17CBC277354BD7BC1CA3E8F224ABE064CD03EB332AABE60F9B8BE4731103E9F0781BEE36E633E095075BE3995AE3E3AACD63EBE17E33C6687BD3D9EB2CE3ECA6D833E2B8BC1BE041A63BC3920C8BE085BA93EF16EA2BD1ACF45BB323688BE741A71BE6D2E663D9EEBB63EF9E05EBE8698273DC4AFC83E58B1C63E6660ADBD10CBCF3E6879213E1DEBC93E9D7D523C48E4BBBEA664F1BD9CFD043ED5746C3E9EDCDCBE8173AC3E4AE2C6BE6AE6813E10BFDA3E4C8ADA3D6B5EA7BD2524743E8A9A03BEE838A4BEEC569DBE247B503ECD51A93E39A38F3CE4F5D6BEBDD8D9BE903FC8BDCA5B6F3ED2BD93BE0E08EF3D165A72BE6161B43E2D5FE8BD7BCFB8BD7073C2BEBB93C6BE45BDEF3CAD638F3DA78E6F3EF5DCC1BE2C639B3DAE1B80BDBC0C823E4D9D49BE2F1A043EC2AD323E32BD5E3E481518BE4AB10E3E92CCADBDB5CCEE3D575388BEB82AB0BE8159B5BE435E8BBE49A93BBEE100843D77FAC1BD756B7CBEF1636E3B9E060CBE06AA883E"
    }
  }
#-}
