"""Normal forms: the records of each type, their unions, conjunctions and complements."""
