"""Analysis of texts: watermarks detected, settings of a sampler inferred."""
