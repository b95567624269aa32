"""Integration with the LM Evaluation Harness: models, formulas and constraints in its tasks."""
