"""Numbers: decimals, digits and the automata of number ranges."""
