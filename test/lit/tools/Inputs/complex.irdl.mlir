irdl.dialect @cmplx {
  irdl.operation @negate {
    %0 = irdl.is f32
    irdl.operands(x: %0)
    irdl.results(y: %0)
  }
}
