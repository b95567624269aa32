# The public names. lazy_loader reads this file at run time, type checkers at rest; tests/test_public_names.py checks.
from .analysis.cost_estimate import CostEstimate, ModelCost, estimate
from .analysis.detection import Detection, detect
from .analysis.machine import Machine
from .analysis.settings import InferredSettings, infer_settings, infer_settings_of_draws
from .async_model import AsyncModel
from .confidence.extraction import Extraction
from .confidence.settings import Confidence
from .decoding.asap import Asap
from .decoding.async_stream import AsyncStream
from .decoding.beam import Beam
from .decoding.best_of import BestOf
from .decoding.cars import Cars
from .decoding.classification import Classification, LabelClassifier, LabelMassWarning, LabelScore
from .decoding.completion import Completion
from .decoding.contrastive_search import ContrastiveSearch
from .decoding.drafts.datastore import Datastore
from .decoding.drafts.draft_sequence import DraftSequence
from .decoding.drafts.forced_tokens import ForcedTokens
from .decoding.drafts.head_tree import HeadTree
from .decoding.drafts.lookahead_tree import LookaheadTree
from .decoding.drafts.lookup_tree import LookupTree
from .decoding.drafts.mask_lookup import MaskLookup
from .decoding.drafts.model_tree import ModelTree
from .decoding.drafts.prompt_lookup import PromptLookup
from .decoding.drafts.text_lookup import TextLookup
from .decoding.drafts.typical_acceptance import TypicalAcceptance
from .decoding.entropy_temperature import DynamicTemperature, EntropyTemperature
from .decoding.expected_futures import AsapMemory
from .decoding.field_confidence import FieldConfidence, RecordConfidence, ValueProbability
from .decoding.importance import Importance
from .decoding.mbr import MBR
from .decoding.mirostat import Mirostat, MirostatV1
from .decoding.most_likely import MostLikely
from .decoding.particles import Particles
from .decoding.ranking import Ranking
from .decoding.sample_among_beams import SampleAmongBeams
from .decoding.sampling import Sampling
from .decoding.scoring import TextScore
from .decoding.speculation import Acceptance, Speculation
from .decoding.stochastic_beam import StochasticBeam, horvitz_thompson
from .decoding.stream import Stream
from .decoding.utilities import ChrF, field_f1
from .decoding.watermark import Watermark
from .errors import (
    BatchError,
    BudgetError,
    ConstraintError,
    ContextLengthError,
    DocumentError,
    FormulaError,
    GrammarError,
    GuidanceKitError,
    IncompleteError,
    LimitError,
    MatchError,
    ModelError,
    OptionError,
    PatternError,
    PotentialError,
    SchemaError,
    UndecidableError,
    UnsatisfiableError,
    UnspellableError,
    UnsupportedFeature,
    VocabularyError,
)
from .fsm.caches import caches
from .fsm.limits import Limits
from .fsm.matcher import Matcher
from .grammars.any_token import any_token
from .grammars.choice import choice
from .grammars.comparison import Comparison, Counterexample, Inclusion, compare
from .grammars.composition import optional, repeat, sequence
from .grammars.constraint import Constraint
from .grammars.grammar import bundled_grammar, grammar
from .grammars.json_schema import BoundedWhitespace, Digits, Indent, Separators, json_schema
from .grammars.lowered_schema import LoweredSchema, Residue, lower
from .grammars.regex import regex
from .grammars.region import region
from .grammars.schema_diagnosis import Finding, diagnose
from .grammars.special_token import special_token
from .grammars.structural_tag import structural_tag
from .grammars.tag import Tag, tag
from .grammars.tagged import Tagged
from .grammars.tags import tags
from .grammars.text import text
from .grammars.tool_calls import tool_calls
from .grammars.warm_up import warm_up
from .guides.dry import Dry
from .guides.logit_bias import LogitBias
from .guides.no_repeat_ngrams import NoRepeatNgrams
from .guides.penalties import Penalties
from .mixture_of_agents import MixtureOfAgents, aggregation_prompt
from .model import Model, load
from .models.draft_heads import DraftHeads
from .models.draft_training import train_draft_heads
from .models.prefix_classifier import PrefixClassifier
from .models.prefix_training import train_prefix_classifier
from .models.sequence_classifier import SequenceClassifier
from .models.transformers_model import TransformersModel
from .reports.detection import detection_html
from .reports.explanation import Explanation, explain
from .reports.trace import trace_html
from .steering.classifiers import on_tokens
from .steering.context import as_chat
from .steering.formula import Formula, maximum, minimum
from .steering.named import (
    classifier_free,
    classifier_guided,
    context_aware,
    contrastive,
    dexperts,
    dola,
    emulated_fine_tuning,
    gedi,
    proxy_tuning,
)
from .steering.schedules import along_the_text, decay, entropy_gate, every, first_tokens, kl_budget, ramp
from .thinking import Think
from .vocabulary import Vocabulary

__version__: str

__all__ = [
    "MBR",
    "Acceptance",
    "Asap",
    "AsapMemory",
    "AsyncModel",
    "AsyncStream",
    "BatchError",
    "Beam",
    "BestOf",
    "BoundedWhitespace",
    "BudgetError",
    "Cars",
    "ChrF",
    "Classification",
    "Comparison",
    "Completion",
    "Confidence",
    "Constraint",
    "ConstraintError",
    "ContextLengthError",
    "ContrastiveSearch",
    "CostEstimate",
    "Counterexample",
    "Datastore",
    "Detection",
    "Digits",
    "DocumentError",
    "DraftHeads",
    "DraftSequence",
    "Dry",
    "DynamicTemperature",
    "EntropyTemperature",
    "Explanation",
    "Extraction",
    "FieldConfidence",
    "Finding",
    "ForcedTokens",
    "Formula",
    "FormulaError",
    "GrammarError",
    "GuidanceKitError",
    "HeadTree",
    "Importance",
    "Inclusion",
    "IncompleteError",
    "Indent",
    "InferredSettings",
    "LabelClassifier",
    "LabelMassWarning",
    "LabelScore",
    "LimitError",
    "Limits",
    "LogitBias",
    "LookaheadTree",
    "LookupTree",
    "LoweredSchema",
    "Machine",
    "MaskLookup",
    "MatchError",
    "Matcher",
    "Mirostat",
    "MirostatV1",
    "MixtureOfAgents",
    "Model",
    "ModelCost",
    "ModelError",
    "ModelTree",
    "MostLikely",
    "NoRepeatNgrams",
    "OptionError",
    "Particles",
    "PatternError",
    "Penalties",
    "PotentialError",
    "PrefixClassifier",
    "PromptLookup",
    "Ranking",
    "RecordConfidence",
    "Residue",
    "SampleAmongBeams",
    "Sampling",
    "SchemaError",
    "Separators",
    "SequenceClassifier",
    "Speculation",
    "StochasticBeam",
    "Stream",
    "Tag",
    "Tagged",
    "TextLookup",
    "TextScore",
    "Think",
    "TransformersModel",
    "TypicalAcceptance",
    "UndecidableError",
    "UnsatisfiableError",
    "UnspellableError",
    "UnsupportedFeature",
    "ValueProbability",
    "Vocabulary",
    "VocabularyError",
    "Watermark",
    "aggregation_prompt",
    "along_the_text",
    "any_token",
    "as_chat",
    "bundled_grammar",
    "caches",
    "choice",
    "classifier_free",
    "classifier_guided",
    "compare",
    "context_aware",
    "contrastive",
    "decay",
    "detect",
    "detection_html",
    "dexperts",
    "diagnose",
    "dola",
    "emulated_fine_tuning",
    "entropy_gate",
    "estimate",
    "every",
    "explain",
    "field_f1",
    "first_tokens",
    "gedi",
    "grammar",
    "horvitz_thompson",
    "infer_settings",
    "infer_settings_of_draws",
    "json_schema",
    "kl_budget",
    "load",
    "lower",
    "maximum",
    "minimum",
    "on_tokens",
    "optional",
    "proxy_tuning",
    "ramp",
    "regex",
    "region",
    "repeat",
    "sequence",
    "special_token",
    "structural_tag",
    "tag",
    "tags",
    "text",
    "tool_calls",
    "trace_html",
    "train_draft_heads",
    "train_prefix_classifier",
    "warm_up",
]
