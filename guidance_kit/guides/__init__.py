"""Guides: logits -> logits, with a state that is a value. The constraint is one of them."""
