module {
  func.func @main(%arg0: tensor<2x1x8x8xf32>) -> tensor<2x5xf32> {
    %cst = stablehlo.constant dense_resource<torch_tensor_5_torch.float32> : tensor<5xf32>
    %cst_0 = stablehlo.constant dense_resource<torch_tensor_5_64_torch.float32> : tensor<5x64xf32>
    %cst_1 = stablehlo.constant dense_resource<torch_tensor_4_torch.float32_4> : tensor<4xf32>
    %cst_2 = stablehlo.constant dense_resource<torch_tensor_4_torch.float32_3> : tensor<4xf32>
    %cst_3 = stablehlo.constant dense_resource<torch_tensor_4_torch.float32_2> : tensor<4xf32>
    %cst_4 = stablehlo.constant dense_resource<torch_tensor_4_torch.float32_1> : tensor<4xf32>
    %cst_5 = stablehlo.constant dense_resource<torch_tensor_4_1_3_3_torch.float32> : tensor<4x1x3x3xf32>
    %cst_6 = stablehlo.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<2x4x8x8xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_10 = arith.constant dense<1.000000e-05> : tensor<1xf64>
    %cst_11 = arith.constant dense<1> : tensor<1xi64>
    %0 = stablehlo.convolution(%arg0, %cst_5) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<2x4x8x8xf32>
    %1 = stablehlo.reshape %cst_6 : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x4x8x8xf32>
    %4 = stablehlo.convert %cst_10 : (tensor<1xf64>) -> tensor<1xf32>
    %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.add %6, %cst_3 : tensor<4xf32>
    %8 = stablehlo.rsqrt %7 : tensor<4xf32>
    %9 = stablehlo.reshape %cst_4 : (tensor<4xf32>) -> tensor<4x1xf32>
    %10 = stablehlo.reshape %9 : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %11 = stablehlo.reshape %8 : (tensor<4xf32>) -> tensor<4x1xf32>
    %12 = stablehlo.reshape %11 : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %14 = stablehlo.subtract %3, %13 : tensor<2x4x8x8xf32>
    %15 = stablehlo.broadcast_in_dim %12, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<2x4x8x8xf32>
    %17 = stablehlo.reshape %cst_2 : (tensor<4xf32>) -> tensor<4x1xf32>
    %18 = stablehlo.reshape %17 : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %20 = stablehlo.multiply %16, %19 : tensor<2x4x8x8xf32>
    %21 = stablehlo.reshape %cst_1 : (tensor<4xf32>) -> tensor<4x1xf32>
    %22 = stablehlo.reshape %21 : (tensor<4x1xf32>) -> tensor<4x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<2x4x8x8xf32>
    %24 = stablehlo.add %20, %23 : tensor<2x4x8x8xf32>
    %25 = stablehlo.maximum %24, %cst_7 : tensor<2x4x8x8xf32>
    %26 = "stablehlo.reduce_window"(%25, %cst_8) <{padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %48 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %48 : tensor<f32>
    }) : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x4x4xf32>
    %27 = stablehlo.reshape %26 : (tensor<2x4x4x4xf32>) -> tensor<2x64xf32>
    %28 = stablehlo.transpose %cst_0, dims = [1, 0] : (tensor<5x64xf32>) -> tensor<64x5xf32>
    %29 = stablehlo.dot_general %27, %28, contracting_dims = [1] x [0] : (tensor<2x64xf32>, tensor<64x5xf32>) -> tensor<2x5xf32>
    %30 = stablehlo.convert %cst_11 : (tensor<1xi64>) -> tensor<1xf32>
    %31 = stablehlo.reshape %30 : (tensor<1xf32>) -> tensor<f32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<2x5xf32>
    %33 = stablehlo.multiply %29, %32 : tensor<2x5xf32>
    %34 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %35 = stablehlo.multiply %34, %cst : tensor<5xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [1] : (tensor<5xf32>) -> tensor<2x5xf32>
    %37 = stablehlo.add %33, %36 : tensor<2x5xf32>
    %38 = stablehlo.reduce(%37 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
    %39 = stablehlo.reshape %38 : (tensor<2xf32>) -> tensor<2x1xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x5xf32>
    %41 = stablehlo.subtract %37, %40 : tensor<2x5xf32>
    %42 = stablehlo.exponential %41 : tensor<2x5xf32>
    %43 = stablehlo.reduce(%42 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
    %44 = stablehlo.reshape %43 : (tensor<2xf32>) -> tensor<2x1xf32>
    %45 = stablehlo.log %44 : tensor<2x1xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x5xf32>
    %47 = stablehlo.subtract %41, %46 : tensor<2x5xf32>
    return %47 : tensor<2x5xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_5_torch.float32: "0x04000000B48C2EBD607A74BDB430B33D308F92BC48129F3C",
      torch_tensor_5_64_torch.float32: "0x04000000B4332F3D8098B9BB88E6B7BCC46545BD48E8993D822FEA3D44EBD0BDCA4F8A3D5486B03DF0F7B23C0000C13AA6FFC43D80E1723B1869FFBCD03B17BC7C44243D742C003D00FEDCBB0C9F213D68E4093D0660CFBD3028FF3CD2A19C3D50DE6A3C50EF3ABCA21AC43D92A9DFBD0CB269BD546B67BD8632DD3DD89BF7BDB01D4B3C02FCF7BD20B186BB70D73E3D9077EFBC1C82F83D00A0D0393A8482BDFC06043DEA22853D003482B95600DB3DCA06A2BD98755A3DAE5D913D504E7E3D005040B85C28123DBCD5C8BDC0E5C8BDE097FEBB505780BC2A16BE3D72E3B93D8894AD3D4C836ABD30F8C8BDB220F0BD604C393D54ADE6BDDE8DFFBD986081BD4C24D8BDE0C549BDF629A1BD3E5683BDAC62F33D30F8C0BCA45CD43D80C2353B10AE83BC8CE715BDEAFEB6BDC4AECDBD8E42B13D18C71DBD4498F9BD54F0EA3D40F5173B724DABBDCE3AC9BD28FCD6BD9479E0BDECA8E73DA682B03D9081273CA62EDABD1CEA05BD2C7CF0BD0C72303D30F207BD6021DBBC3CC01FBD4C0D703DF2918A3D2851E03CF83A80BC40644ABC00250FBB4EA2BEBD0ECCF93D10D15CBD4AF1943D58838FBD00FA5B3A88452F3DE00DEBBDB4DA6A3D30F4C3BD38E58E3CF80ECBBCC2BE923D82CEF83D48C6E63C40EA69BBF0AA7DBD60E43E3DE86F76BD847D533D38EA5DBDFEA5AD3D785CC43DB0F99C3D801EA43AD06F6D3D8A46E9BDEE9BCF3D1C0605BD28A73A3D1867ADBC44EC2BBD207070BD3820A53DD0468BBDE893B4BCA423813D50694E3CF465D7BD588FFEBDACEB78BDEE1CEC3DCA05B6BD34178D3DB23FB73D003954BD481A62BDFA2CB8BDA8B99F3CD8268FBCE000C73BE0155E3D40F5563DD48821BDB0A80C3C603FF33C80602E3BB0E9CC3CEC674FBD22D6D13D601052BC180483BC64C3E5BDF690B9BD80D37E3B785D9EBC2EB680BDDC00863D405937BC7810343DC49ED73DF4636BBD00FE7BBD18C5CDBC406D2DBCA80A80BDA0D8F5BC40206CBBCCA9653D7AD7EC3DFC91BD3D00C0583CF00E01BC7426033DA034A7BBF06286BCC80F303D1A48D0BD38B6D9BD00BB043AAC2F1BBD043F7DBD4452EEBDF07BAB3D6033A3BBDE8A89BD688F50BD3C9B063DFEA8B9BDF088033C800BCABA586B2E3DB41B4B3DDE43A7BDB0135D3D6A4FC13D60D9033C9A6B823D38D641BD7865CB3C089B153DD47B6CBD120F9E3D1C0CF2BD605340BD94A096BD9AF897BDA21F9BBDF839F1BD50BCAF3C7890CABC048ED7BD00A057B85094AABCB036533D7085C8BDE00910BD40C6D23CB007593D50EE1A3C48C00A3D04E8FF3DEC5C31BDBA79AE3DF283DC3D3676E2BD20B3F73CD402913D18BB9FBC36498D3D20528B3B74E3C23DC062303B9EE5A3BD906AC23D6045183D06CCD93D8033FE3C16F0873D729E9F3D906DAC3C880BEEBCC87DD33CFA7EB2BDC0EE8B3B709024BDC07B013CB2B0CABDFC6B9C3D5630ECBD74425B3D6A97A83D7A9FEABD704CE73D6A4EBEBD4814C9BC9EA8843D4C5B22BDB424E43DC4DE61BDF81889BCEA57A7BD24886DBD0AD1F93D3C87C03DA0CB163C4064283C8A3DD9BD4044C13DD88699BC548D55BD06BBCBBD787AD23DB4C8723D3A329A3DA00F543CCAB6ADBD9CBB513DB0316C3C74D02B3D10FCFEBCE09E71BD9628D23D84A12B3DC8CC4FBD60E2363CA897DEBC60232FBCEC8D8F3D4EC1CBBD40B0E73D644DAC3D0040E138E86C51BDF0C8D03CD472A9BDF648A63D6A6387BD18A9C33C58DCFBBD102F753D7E4CAD3D0826C03D102B273CE826973D74922E3D7EADAB3D7A76903D4AFBDFBDF0E6573C",
      torch_tensor_4_torch.float32_4: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_torch.float32_3: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32_2: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32_1: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_1_3_3_torch.float32: "0x04000000C8379DBE30826DBE90A68DBD30DDA2BEFFD5893E3AD68B3ECE4932BE4B018F3D1B9E2E3EE0EED83DF6E436BD87F9A0BE5E32783EF2B095BE00DC7CBD2B63A93CB0D4E0BD46B0F9BD8E8093BE2B75963CE0061BBDA2C9943E90BFE0BD2CE9833E1645813CE05A19BED059A2BD8BF01ABD5647623B36F160BDDB98CA3DF88B8C3EA09B563D4645F73DC0C7523E6B26933D",
      torch_tensor_4_torch.float32: "0x040000003E581D3EF00B333E0BBF9F3E74C29BBE"
    }
  }
#-}
