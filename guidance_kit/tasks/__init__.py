"""Tasks of a model: generation, extraction, scores of given texts, classification."""
