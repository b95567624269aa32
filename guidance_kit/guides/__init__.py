"""Guides: adjustments of the logits of each step, with states that are values. The constraint is one of them."""
