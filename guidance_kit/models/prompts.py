"""Prompts for extraction: a text and a JSON Schema become what a model reads before it writes the record.

Two styles. Which one a model wants stands in its config.json under `guidance_kit_prompt`; a model that says nothing
gets "instruction", which any instruction-tuned model understands. Both end where the record begins, and both models
are expected to write it as `json.dumps(record, ensure_ascii=False)`, properties in the schema's order.

"support-v1", the style of the bundled models, names the fields in one line and leaves the prose out:

    <|fields|>Ticket:intent(refund_request|praise),order_id~,date?:date,items[product,quantity:integer]<|text|>...<|record|>

`name?` may be left out, `name~` may be null (then it is null, not left out, when the text does not say it), `:type` is
a type or format other than string, `(a|b)` an enum, `[...]` an array and `{...}` an object. The fields come first, so
that the documents of one job share a prefix, which a key-value cache computes once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from guidance_kit.errors import OptionError

__all__ = [
    "PROMPTS", "classification_prompt", "extraction_prompt", "instruction_prompt", "label_text", "support_prompt",
]  # fmt: skip

_MARKERS = ("<|fields|>", "<|text|>", "<|record|>", "<|end|>", "<|pad|>")
# Beyond this depth of nesting a schema is named, not described; recursive schemas end here too.
_DEPTH = 4


def extraction_prompt(text: str, schema: Mapping[str, Any] | bool, style: str = "instruction") -> str:
    """Write the prompt after which a model writes the record of `text`.

    Args:
        text: the document, as it is.
        schema: JSON Schema of the record; `True` stands for any JSON.
        style: a key of `PROMPTS`.
    Returns:
        The prompt, to be tokenized with special tokens recognised and none added.
    Raises:
        OptionError: if there is no such style; it names the nearest.

    >>> schema = {"title": "Ticket", "properties": {"name": {"type": "string"}, "due": {"type": ["string", "null"]}}}
    >>> extraction_prompt("Hi, I am Ann.", schema, "support-v1")
    '<|fields|>Ticket:name?,due~<|text|>Hi, I am Ann.<|record|>'
    """
    if style not in PROMPTS:
        raise OptionError.unknown(style, PROMPTS, what="prompt style")
    return PROMPTS[style](text, schema)


def instruction_prompt(text: str, schema: Mapping[str, Any] | bool) -> str:
    """The prompt for models that follow instructions; a chat template, if there is one, goes around it."""
    return (
        "Extract the facts from the text below as JSON that conforms to the JSON Schema. "
        "Use only what the text says and copy names and numbers exactly. "
        "If the text does not state a value, use null where the schema allows it, else leave the property out if it is "
        "optional. Answer with the JSON only.\n\n"
        f"JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}\n\nText:\n{text}\n\nJSON:\n"
    )


def support_prompt(text: str, schema: Mapping[str, Any] | bool) -> str:
    """The prompt of the bundled models, "support-v1"; see the head of this file."""
    root = schema if isinstance(schema, Mapping) else {}
    title = root.get("title")
    resolved, _ = _resolve(root, root)
    fields = _fields(resolved, root, _DEPTH) or _type(resolved, root, _DEPTH).removeprefix(":")
    named = f"{title}:{fields}" if isinstance(title, str) and title else fields
    return f"<|fields|>{_neutral(named)}<|text|>{_neutral(text)}<|record|>"


def classification_prompt(text: str, labels: Mapping[str, str], style: str = "instruction") -> str:
    """Write the prompt after which a model writes the label of `text`, as `label_text` has it.

    "support-v1" asks for a record with one field, an intent, and ends where its value begins. Descriptions are left out
    there.

    Args:
        text: as it is.
        labels: from labels to descriptions, "" for none.
        style: a key of `PROMPTS`.
    Returns:
        The prompt, to be tokenized with special tokens recognised and none added.
    Raises:
        OptionError: if there is no such style; it names the nearest.

    >>> classification_prompt("Hi!", {"praise": "", "complaint": ""}, "support-v1")
    '<|fields|>Ticket:intent(praise|complaint)<|text|>Hi!<|record|>{"intent": "'
    """
    if style == "support-v1":
        schema = {"title": "Ticket", "properties": {"intent": {"enum": list(labels)}}, "required": ["intent"]}
        return support_prompt(text, schema) + '{"intent": "'
    if style not in PROMPTS:
        raise OptionError.unknown(style, PROMPTS, what="prompt style")
    listed = "\n".join(f"- {label}: {meaning}" if meaning else f"- {label}" for label, meaning in labels.items())
    return (
        "Which of the labels fits the text below best? Answer with the label only, exactly as it is written here.\n\n"
        f"Labels:\n{listed}\n\nText:\n{text}\n\nLabel:\n"
    )


def label_text(label: str, style: str = "instruction") -> str:
    """Text of a label as a model writes it after its `classification_prompt`."""
    return json.dumps(label, ensure_ascii=False)[1:-1] if style == "support-v1" else label


PROMPTS: dict[str, Callable[[str, Mapping[str, Any] | bool], str]] = {
    "instruction": instruction_prompt,
    "support-v1": support_prompt,
}


def _neutral(text: str) -> str:
    """`text` with a space in what would otherwise be read as a marker."""
    for marker in _MARKERS:
        text = text.replace(marker, f"< {marker[1:]}")
    return text


def _resolve(schema: Any, root: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """Follow local references and unwrap "or null"; return the schema behind and whether null is allowed."""
    nullable = False
    for _ in range(16):
        if not isinstance(schema, Mapping):
            return {}, nullable
        if "$ref" in schema:
            schema = _lookup(schema["$ref"], root)
            continue
        options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if not isinstance(options, Sequence) or isinstance(options, str):
            break
        others = [option for option in options if not (isinstance(option, Mapping) and option.get("type") == "null")]
        nullable |= len(others) < len(options)
        if len(others) != 1:
            break
        schema = others[0]
    types = schema.get("type")
    if isinstance(types, list) and "null" in types:
        nullable = True
    return schema, nullable


def _lookup(reference: Any, root: Mapping[str, Any]) -> Any:
    """The schema at a local reference such as #/$defs/Item; an empty one for any other."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return {}
    found: Any = root
    for part in reference[1:].split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or part not in found:
            return {}
        found = found[part]
    return found


def _fields(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> str:
    """The properties of an object in declared order, "" if it declares none."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or depth == 0:
        return ""
    required = schema.get("required", ())
    described = []
    for name, inner in properties.items():
        resolved, nullable = _resolve(inner, root)
        mark = "~" if nullable else "" if name in required else "?"
        described.append(f"{name}{mark}{_type(resolved, root, depth - 1)}")
    return ",".join(described)


def _type(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> str:
    """Type after a field's name: nothing for a plain string."""
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, Sequence) and not isinstance(values, str):
        shown = (v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values if v is not None)
        return f"({'|'.join(shown)})"
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    if kind == "array" or (kind is None and "items" in schema):
        items, _ = _resolve(schema.get("items"), root)
        return f"[{_fields(items, root, depth) or _type(items, root, depth).removeprefix(':')}]"
    if kind == "object" or (kind is None and "properties" in schema):
        return f"{{{_fields(schema, root, depth)}}}"
    if kind == "string":
        return f":{schema['format']}" if isinstance(schema.get("format"), str) else ""
    return f":{kind}" if isinstance(kind, str) else ""
