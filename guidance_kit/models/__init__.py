"""Language models of transformers behind one interface: any prefixes in, logits out, a cache that is never wrong."""

from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.loading import BUNDLED, bundled_models, load
from guidance_kit.models.transformers_model import TransformersModel

__all__ = ["BUNDLED", "KVCache", "TransformersModel", "bundled_models", "load"]
