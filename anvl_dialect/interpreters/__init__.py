"""Engines that ask ops for their rules: reverse mode, forward mode, batching.  They name no op."""
