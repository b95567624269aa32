"""Python code that a model brings along: it runs only where the caller trusts the model.

transformers imports code that a configuration names in `auto_map`, and asks on standard input whether it may; it
fetches attention kernels from the model hub whose names stand in config.json, and calls whatever class of its own a
tokenizer's configuration names. peft imports the module that an adapter's configuration names. `refuse_remote_code`
refuses all of that before any of it is loaded, and `never_asking` keeps transformers from asking.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import transformers
from transformers import CONFIG_MAPPING, PreTrainedTokenizerBase, dynamic_module_utils
from transformers.utils.hub import cached_file

from guidance_kit.errors import ModelError, OptionError

__all__ = ["code_hint", "configuration_file", "never_asking", "refuse_remote_code", "require_trust"]

_KERNELS = ("attn_implementation", "experts_implementation")
"""Settings that may name a kernel on the model hub, with or without a leading underscore."""

_ADVICE = "load the model with trust_remote_code=True (--trust-remote-code)"

_lock = threading.Lock()
_loads = 0
_seconds = 0


def require_trust(options: Mapping[str, Any]) -> bool:
    """Read `trust_remote_code` from the options of a load.

    Raises:
        OptionError: it is neither True nor False; code is to be run without it.
    """
    is_trusted = options.get("trust_remote_code")
    if is_trusted is not None and not isinstance(is_trusted, bool):
        raise OptionError(f"trust_remote_code is True or False, not {is_trusted!r}")
    attention = options.get("attn_implementation")
    if not is_trusted and _is_on_hub(attention):
        raise OptionError(
            f"attn_implementation={attention!r} is code on the model hub; if you trust it, add trust_remote_code=True"
        )
    return bool(is_trusted)


@contextmanager
def never_asking() -> Iterator[None]:
    """Keep transformers from asking on standard input whether it may run a model's code; it refuses instead."""
    global _loads, _seconds
    with _lock:
        if not _loads:
            _seconds = dynamic_module_utils.TIME_OUT_REMOTE_CODE
            dynamic_module_utils.TIME_OUT_REMOTE_CODE = 0
        _loads += 1
    try:
        yield
    finally:
        with _lock:
            _loads -= 1
            if not _loads:
                dynamic_module_utils.TIME_OUT_REMOTE_CODE = _seconds


def configuration_file(source: str, name: str, place: Mapping[str, Any]) -> dict[str, Any] | None:
    """Read a JSON file of a model; None if the model has none of that name.

    Args:
        source: a folder or a name on the model hub.
        place: revision, token, local_files_only, cache_dir, subfolder, as `from_pretrained` takes them.
    Raises:
        ModelError: it is no JSON object.
        OSError: the model hub cannot be reached, or has no such model.
    """
    path: str | None = cached_file(source, name, **place, _raise_exceptions_for_missing_entries=False)
    if path is None:
        return None
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"cannot load {source!r}: {name} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise ModelError(f"cannot load {source!r}: {name} must hold a JSON object, not {found!r:.40}")
    return cast("dict[str, Any]", found)


def refuse_remote_code(source: str, config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> None:
    """Refuse a model that can only be loaded by running code that it names.

    A model of a kind that transformers knows is loaded with the code of transformers, whatever its `auto_map` says.

    Args:
        source: a folder or a name on the model hub.
        config: its config.json.
        tokenizer: its tokenizer_config.json.
    Raises:
        ModelError: what would be run, and where it says so.
    """
    if config.get("auto_map") and not _is_known(config.get("model_type")):
        raise _refusal(source, "config.json names it in auto_map")
    for path, kernel in _kernels(config):
        raise _refusal(source, f"config.json names the kernel {kernel!r} on the model hub in {path}")
    for file, names in (("tokenizer_config.json", tokenizer), ("config.json", config)):
        name = names.get("tokenizer_class")
        if name is not None and not (isinstance(name, str) and _is_tokenizer(name)):
            raise ModelError(
                f"cannot load {source!r}: {file} names {name!r} as tokenizer_class, which is no tokenizer; "
                "correct the file"
            )


def code_hint(files: Mapping[str, Mapping[str, Any]]) -> str:
    """A sentence on the code of a model that could not be loaded without it; empty if it brings none.

    Args:
        files: the model's configuration files, by name.
    """
    named = [name for name, found in files.items() if found.get("auto_map")]
    if not named:
        return ""
    return (
        f" It brings Python code of its own (auto_map in {' and '.join(named)}), which was not run; if you have read "
        f"it and trust it, {_ADVICE}"
    )


def _refusal(source: str, what: str) -> ModelError:
    return ModelError(
        f"{source!r} can only be loaded by running code: {what}. Nothing was run; if you have read the code and trust "
        f"it, {_ADVICE}"
    )


def _is_known(model_type: object) -> bool:
    """Test whether transformers itself has the code of a kind of model."""
    return isinstance(model_type, str) and model_type in CONFIG_MAPPING


def _is_on_hub(kernel: object) -> bool:
    """Test whether a setting names a repository: "organisation/repository", with or without a prefix "paged|"."""
    return isinstance(kernel, str) and "/" in kernel


def _kernels(config: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Settings at any depth that name a kernel on the model hub: their path, and the kernel."""
    for key, value in config.items():
        place = f"{path}.{key}" if path else key
        if key.lstrip("_").startswith(_KERNELS):
            yield from ((place, kernel) for kernel in _strings(value) if _is_on_hub(kernel))
        elif isinstance(value, Mapping):
            yield from _kernels(cast("Mapping[str, Any]", value), place)


def _strings(value: object) -> Iterator[str]:
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        found = cast("Mapping[str, object] | list[object]", value)
        for inner in found.values() if isinstance(found, Mapping) else found:
            yield from _strings(inner)


def _is_tokenizer(name: str) -> bool:
    """Test whether transformers takes a name for a tokenizer, and not for another one of its classes.

    It looks names up with "Fast" at the end and without; names that it does not have stand for its general tokenizer.
    """
    found = (getattr(transformers, spelt, None) for spelt in (name, name.removesuffix("Fast"), f"{name}Fast"))
    return all(one is None or _is_tokenizer_class(one) for one in found)


def _is_tokenizer_class(found: object) -> bool:
    """Test whether it is one, or the dummy in place of one whose library is not installed."""
    return isinstance(found, type) and (issubclass(found, PreTrainedTokenizerBase) or hasattr(found, "_backends"))
