"""A run of `anvl-opt`: its job, the processing of each chunk, and the messages."""
