"""Places of models, and names of data types and devices: checked without torch, which takes seconds to import."""

from __future__ import annotations

from pathlib import Path

from guidance_kit.errors import ModelError, OptionError

__all__ = [
    "BUNDLED",
    "DTYPES",
    "bundled_folder",
    "is_gguf",
    "located",
    "require_device",
    "require_dtype",
    "require_folder",
    "require_model",
]

BUNDLED = "support-2m"
"""The model that `load()` gives."""

DTYPES = ("float32", "float16", "bfloat16", "float64", "auto")

_DEVICES = ("cpu", "cuda", "mps", "xpu", "npu", "hpu", "mtia", "xla", "hip", "ipu", "maia", "privateuseone", "meta")
"""Kinds of devices that torch and its extensions have; a number may follow after a colon."""


def bundled_folder() -> Path:
    """The folder of the models that come with the package."""
    return Path(__file__).resolve().parent / "bundled"


def require_dtype(name: str) -> str:
    """See that a data type is one that models have.

    Raises:
        OptionError: it is not; names the nearest.
    """
    if name not in DTYPES:
        raise OptionError.unknown(name, DTYPES, what="dtype")
    return name


def require_device(name: str) -> str:
    """See that a name is that of a device: a kind, or a kind, a colon and a number. There may be no such device.

    Raises:
        OptionError: it is not; names the nearest.
    """
    kind, colon, number = name.partition(":")
    if kind not in _DEVICES:
        raise OptionError.unknown(kind, _DEVICES, what="device")
    if colon and not (number.isascii() and number.isdecimal()):
        raise OptionError(f"a device has a number after its colon, as {kind}:0, not {name!r}")
    return name


def require_folder(name: str | Path) -> Path | None:
    """Folder that a name stands for; None if it may be a name on the model hub.

    Raises:
        ModelError: it can only be a folder, and there is none.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    if isinstance(name, Path) or name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise ModelError(f"there is no folder {name}")
    return None


def is_gguf(name: str | Path) -> bool:
    """Test whether a name is that of a file in GGUF, the format of llama.cpp."""
    return Path(name).suffix.lower() == ".gguf"


def require_model(name: str) -> None:
    """See that a name is that of a file in GGUF, or a place at which transformers finds a model.

    Raises:
        ModelError: there is no such file or folder, or the folder holds no model.
    """
    if not is_gguf(name):
        located(name)
    elif not Path(name).expanduser().is_file():
        raise ModelError(f"there is no file {name}")


def located(name: str | Path | None) -> str:
    """Place at which transformers finds a model: a folder, or a name on the model hub.

    Raises:
        ModelError: there is no such folder, or it holds no model.
    """
    name = BUNDLED if name is None else name
    path = require_folder(name)
    if path is None:
        if (bundled_folder() / name / "config.json").is_file():
            return str(bundled_folder() / name)
        if name == BUNDLED:
            raise ModelError(f"the bundled model {name} is missing from {bundled_folder()}; install the package again")
        return str(name)
    if (path / "config.json").is_file():
        return str(path)
    if (path / "adapter_config.json").is_file():
        raise ModelError(f"the folder {name} holds an adapter; load the model it was made for, with adapter={name!r}")
    raise ModelError(f"the folder {name} has no config.json; it does not hold a model of transformers")
