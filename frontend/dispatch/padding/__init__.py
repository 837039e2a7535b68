"""Programs whose bucketed axes are padded: `jit(bucket=...)`."""
