"""Linear algebra and Fourier transforms: the functions of `anvl.numpy.linalg` and `fft`."""
