"""The kernels: pure functions over flat arrays, compiled by Numba; one file an idea, each imported from its own file.

Kernels take a *handle* for the arrays of an automaton, a vocabulary, a cache or costs (`arrays`), which says where they
are, and take out those that they need: handing over twenty-five arrays, each of them seven numbers, takes longer than
most kernels work, from Python and from one kernel to another. Kernels allocate nothing and raise nothing: where room or
a rule is missing they return a negative code, `Automaton` grows the arrays or builds the rule, and the same call is
made again. That is safe at any point because all a kernel leaves behind are interned values, which the second attempt
finds.

    compiling, handles            compilation, and access to arrays
    arrays, columns, codes        layouts and numbers; these and `fsm.opcodes` need no Numba
    interning, covering, frames   nodes and configurations
    closure, steps, horizon       from one configuration to the next
    free_text, walks, masks       from a configuration to a mask
    mask_cache, logits            masks that are known, and their use
    costs, ends                   budgets
    loading, tries                networks and vocabularies as arrays

Every kernel has a slow twin in tests/oracles.py. With NUMBA_DISABLE_JIT=1 the same functions run as plain Python.
"""
