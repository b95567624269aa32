"""Surface syntax (regex, JSON Schema, grammars, choices, Python types) compiled to networks of `fsm`.

Each constructor is in the file of its name: `regex.regex`, `choice.choice`, `grammar.grammar` and so on; `sequence`,
`optional` and `repeat` are in `composition`. These names are those of modules, so the package itself exports none.
"""
