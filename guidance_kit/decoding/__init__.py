"""Samplers and the one generation loop, over any distribution that is a pure function of the prefix."""
