"""Arrays over several devices: where their shards lie, their values, programs that run there."""
