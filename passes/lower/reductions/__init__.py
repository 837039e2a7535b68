"""Small reductions on the CPU, of which XLA makes kernels of their own: fewer or none of them."""
