"""Drafts: proposals of tokens that the target distribution verifies in blocks."""
