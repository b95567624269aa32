"""Facts of schemas: satisfiability, finite sets of values, and explanations of clashes."""
