# The public names. lazy_loader reads this file at run time, type checkers at rest; tests/test_public_names.py checks.
from .errors import (
    ConstraintError,
    ContextLengthError,
    DocumentError,
    GuidanceKitError,
    IncompleteError,
    LimitError,
    MatchError,
    ModelError,
    OptionError,
    PatternError,
    SchemaError,
    UnsatisfiableError,
    UnspellableError,
    UnsupportedFeature,
    VocabularyError,
)
from .vocabulary import Vocabulary

__version__: str

__all__ = [
    "ConstraintError",
    "ContextLengthError",
    "DocumentError",
    "GuidanceKitError",
    "IncompleteError",
    "LimitError",
    "MatchError",
    "ModelError",
    "OptionError",
    "PatternError",
    "SchemaError",
    "UnsatisfiableError",
    "UnspellableError",
    "UnsupportedFeature",
    "Vocabulary",
    "VocabularyError",
]
