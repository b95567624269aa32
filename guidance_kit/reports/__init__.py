"""What a person looks at: traces of a generation, drawings of automata, plots."""
