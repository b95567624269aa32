"""Reports: traces of generations, drawings of automata, plots and pages of evaluations."""
