"""`jit`: the pipeline, compiled programs, calls, stages, graphs."""
