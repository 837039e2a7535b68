"""Pass framework: passes, pipelines, options, text forms, instruments, walks."""
