"""Steering: an exact algebra of the log-probabilities of several models, see docs/steering.md."""
