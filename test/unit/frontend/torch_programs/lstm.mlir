module {
  func.func @main(%arg0: tensor<3x2x4xf32>) -> (tensor<3x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<1x2x3xf32>
    %cst_1 = stablehlo.constant dense_resource<torch_tensor_12_torch.float32_1> : tensor<12xf32>
    %cst_2 = stablehlo.constant dense_resource<torch_tensor_12_3_torch.float32> : tensor<12x3xf32>
    %cst_3 = stablehlo.constant dense_resource<torch_tensor_12_torch.float32> : tensor<12xf32>
    %cst_4 = stablehlo.constant dense_resource<torch_tensor_12_4_torch.float32> : tensor<12x4xf32>
    %cst_5 = arith.constant dense<1> : tensor<1xi64>
    %0 = stablehlo.reshape %arg0 : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.transpose %cst_4, dims = [1, 0] : (tensor<12x4xf32>) -> tensor<4x12xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x12xf32>) -> tensor<6x12xf32>
    %3 = stablehlo.convert %cst_5 : (tensor<1xi64>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %6 = stablehlo.multiply %2, %5 : tensor<6x12xf32>
    %7 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.multiply %7, %cst_3 : tensor<12xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<12xf32>) -> tensor<6x12xf32>
    %10 = stablehlo.add %6, %9 : tensor<6x12xf32>
    %11 = stablehlo.reshape %10 : (tensor<6x12xf32>) -> tensor<3x2x12xf32>
    %12 = stablehlo.slice %11 [0:1, 0:2, 0:12] : (tensor<3x2x12xf32>) -> tensor<1x2x12xf32>
    %13 = stablehlo.slice %11 [1:2, 0:2, 0:12] : (tensor<3x2x12xf32>) -> tensor<1x2x12xf32>
    %14 = stablehlo.slice %11 [2:3, 0:2, 0:12] : (tensor<3x2x12xf32>) -> tensor<1x2x12xf32>
    %15 = stablehlo.reshape %12 : (tensor<1x2x12xf32>) -> tensor<2x12xf32>
    %16 = stablehlo.reshape %13 : (tensor<1x2x12xf32>) -> tensor<2x12xf32>
    %17 = stablehlo.reshape %14 : (tensor<1x2x12xf32>) -> tensor<2x12xf32>
    %18 = stablehlo.transpose %cst_2, dims = [1, 0] : (tensor<12x3xf32>) -> tensor<3x12xf32>
    %19 = stablehlo.dot_general %cst, %18, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x12xf32>) -> tensor<2x12xf32>
    %20 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<2x12xf32>
    %21 = stablehlo.multiply %19, %20 : tensor<2x12xf32>
    %22 = stablehlo.multiply %7, %cst_1 : tensor<12xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [1] : (tensor<12xf32>) -> tensor<2x12xf32>
    %24 = stablehlo.add %21, %23 : tensor<2x12xf32>
    %25 = stablehlo.reshape %24 : (tensor<2x12xf32>) -> tensor<1x2x12xf32>
    %26 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<2x12xf32>) -> tensor<1x2x12xf32>
    %27 = stablehlo.add %25, %26 : tensor<1x2x12xf32>
    %28 = stablehlo.slice %27 [0:1, 0:2, 0:3] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %29 = stablehlo.slice %27 [0:1, 0:2, 3:6] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %30 = stablehlo.slice %27 [0:1, 0:2, 6:9] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %31 = stablehlo.slice %27 [0:1, 0:2, 9:12] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %32 = stablehlo.logistic %28 : tensor<1x2x3xf32>
    %33 = stablehlo.logistic %29 : tensor<1x2x3xf32>
    %34 = stablehlo.tanh %30 : tensor<1x2x3xf32>
    %35 = stablehlo.logistic %31 : tensor<1x2x3xf32>
    %36 = stablehlo.multiply %33, %cst_0 : tensor<1x2x3xf32>
    %37 = stablehlo.multiply %32, %34 : tensor<1x2x3xf32>
    %38 = stablehlo.add %36, %37 : tensor<1x2x3xf32>
    %39 = stablehlo.tanh %38 : tensor<1x2x3xf32>
    %40 = stablehlo.multiply %35, %39 : tensor<1x2x3xf32>
    %41 = stablehlo.reshape %40 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    %42 = stablehlo.dot_general %41, %18, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x12xf32>) -> tensor<2x12xf32>
    %43 = stablehlo.multiply %42, %20 : tensor<2x12xf32>
    %44 = stablehlo.add %43, %23 : tensor<2x12xf32>
    %45 = stablehlo.reshape %44 : (tensor<2x12xf32>) -> tensor<1x2x12xf32>
    %46 = stablehlo.broadcast_in_dim %16, dims = [1, 2] : (tensor<2x12xf32>) -> tensor<1x2x12xf32>
    %47 = stablehlo.add %45, %46 : tensor<1x2x12xf32>
    %48 = stablehlo.slice %47 [0:1, 0:2, 0:3] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %49 = stablehlo.slice %47 [0:1, 0:2, 3:6] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %50 = stablehlo.slice %47 [0:1, 0:2, 6:9] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %51 = stablehlo.slice %47 [0:1, 0:2, 9:12] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %52 = stablehlo.logistic %48 : tensor<1x2x3xf32>
    %53 = stablehlo.logistic %49 : tensor<1x2x3xf32>
    %54 = stablehlo.tanh %50 : tensor<1x2x3xf32>
    %55 = stablehlo.logistic %51 : tensor<1x2x3xf32>
    %56 = stablehlo.multiply %53, %38 : tensor<1x2x3xf32>
    %57 = stablehlo.multiply %52, %54 : tensor<1x2x3xf32>
    %58 = stablehlo.add %56, %57 : tensor<1x2x3xf32>
    %59 = stablehlo.tanh %58 : tensor<1x2x3xf32>
    %60 = stablehlo.multiply %55, %59 : tensor<1x2x3xf32>
    %61 = stablehlo.reshape %60 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    %62 = stablehlo.dot_general %61, %18, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x12xf32>) -> tensor<2x12xf32>
    %63 = stablehlo.multiply %62, %20 : tensor<2x12xf32>
    %64 = stablehlo.add %63, %23 : tensor<2x12xf32>
    %65 = stablehlo.reshape %64 : (tensor<2x12xf32>) -> tensor<1x2x12xf32>
    %66 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<2x12xf32>) -> tensor<1x2x12xf32>
    %67 = stablehlo.add %65, %66 : tensor<1x2x12xf32>
    %68 = stablehlo.slice %67 [0:1, 0:2, 0:3] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %69 = stablehlo.slice %67 [0:1, 0:2, 3:6] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %70 = stablehlo.slice %67 [0:1, 0:2, 6:9] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %71 = stablehlo.slice %67 [0:1, 0:2, 9:12] : (tensor<1x2x12xf32>) -> tensor<1x2x3xf32>
    %72 = stablehlo.logistic %68 : tensor<1x2x3xf32>
    %73 = stablehlo.logistic %69 : tensor<1x2x3xf32>
    %74 = stablehlo.tanh %70 : tensor<1x2x3xf32>
    %75 = stablehlo.logistic %71 : tensor<1x2x3xf32>
    %76 = stablehlo.multiply %73, %58 : tensor<1x2x3xf32>
    %77 = stablehlo.multiply %72, %74 : tensor<1x2x3xf32>
    %78 = stablehlo.add %76, %77 : tensor<1x2x3xf32>
    %79 = stablehlo.tanh %78 : tensor<1x2x3xf32>
    %80 = stablehlo.multiply %75, %79 : tensor<1x2x3xf32>
    %81 = stablehlo.concatenate %40, %60, %80, dim = 0 : (tensor<1x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<3x2x3xf32>
    %82 = stablehlo.reshape %80 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    %83 = stablehlo.reshape %78 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    %84 = stablehlo.reshape %82 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    %85 = stablehlo.reshape %83 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    return %81, %84, %85 : tensor<3x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x3xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_12_torch.float32_1: "0x04000000D5F1A93D7B017C3EC1AC1ABE713DB03E548D68BEA0A9F3BE86B08A3E47455B3E1321023E348A7B3E04B48C3DED35493E",
      torch_tensor_12_3_torch.float32: "0x04000000A2E894BDB04B13BFFCC113BF5C6A80BD4458F73E7E9ADEBCB259393E8C506CBE730B41BE15F881BDD76F95BE45E2B43E8756B83E5BCDE5BE9D55353EFE3A74BE25FCA9BEA84090BDBA5E37BE4D50A8BE6942AE3DFBB8A83E5274B6BD236C25BD8BF4313D80167EBEEC7E9C3E995F083FCC2258BD99C1203DA52DEE3ED81DF23E3BE6DBBE09E588BEA3FB10BFF30DB53E",
      torch_tensor_12_torch.float32: "0x040000002BB8E63E2B2D57BEB7A43D3EDE350F3E1A53FEBEB4166C3E080C913E8508503C5783723D9961093E7DF4D43EDC97023F",
      torch_tensor_12_4_torch.float32: "0x0400000018A607BF2D66E8BE327ADEBD4A1F9CBD7A34E73E4DAACB3D29B9BFBD570883BC9917A53E541733BE780BDDBD4833EDBDD45DEEBED841A5BD4FA208BF6BE49EBED627BCBEDB33DC3E0E2708BF5F690E3FE2AB5D3E4AC4C7BE7EE7F43E2E4702BE225FFABE4C34A4BD1517923EB7B40FBF3F3731BD518D703E816866BE1B62573D18B567BED451C6BEBE7FE73E79E4D1BE17CCDDBB3CE8443E8532A5BEC6BA8E3E867CF5BE7B280D3F4AA6833E1D66A7BDFCE4F5BE68DB913CDCB4513E828BA0BE"
    }
  }
#-}
