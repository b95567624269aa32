"""Lowering of schemas to the subsets that other engines and services enforce."""
