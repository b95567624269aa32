"""Batch jobs on many machines by Ray: callables for Ray Data, and the workers of `guidance-kit extract --ray`."""
