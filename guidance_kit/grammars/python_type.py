"""Python types as JSON Schemas, and their instances from JSON texts, through pydantic."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from guidance_kit.errors import UnsupportedFeature

__all__ = ["PythonType"]


class PythonType:
    """A Pydantic model, dataclass, TypedDict or annotation, as pydantic understands it.

    Args:
        annotation: the type.
    Raises:
        UnsupportedFeature: pydantic cannot make a schema of it.
    """

    def __init__(self, annotation: Any) -> None:
        self.name = getattr(annotation, "__name__", None) or repr(annotation)
        try:
            self._adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        except (PydanticSchemaGenerationError, PydanticUserError) as error:
            raise UnsupportedFeature(
                f"the type {self.name}",
                where="the Python type",
                hint=str(error).splitlines()[0],
            ) from None

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of what `validate` takes.

        Raises:
            UnsupportedFeature: the type has no JSON Schema.
        """
        try:
            return self._adapter.json_schema(mode="validation")
        except PydanticUserError as error:
            raise UnsupportedFeature(
                f"the type {self.name}", where="the Python type", hint=str(error).splitlines()[0]
            ) from None

    def validate(self, text: str) -> Any:
        """The instance that a JSON text stands for.

        Raises:
            pydantic.ValidationError: a validator in the type refuses the value, though it satisfies the schema.
        """
        return self._adapter.validate_json(text)
