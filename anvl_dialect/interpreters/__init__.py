"""Engines that apply the rules of ops: reverse mode, forward mode, batching.  They name no op."""
