"""What a pass and a pipeline are: options, text forms, instruments, walks."""
