"""Surface syntax (regex, JSON Schema, choices, Python types) turned into networks of `fsm`."""
