"""Numbers that identify something: orders, customers, parcels, telephones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Literal

from tools.support_world.entities.mention import Mention, Side, on_side, verbatim
from tools.support_world.entities.words import coined

__all__ = ["customer_id", "discount_code", "order_id", "phone", "postal_code", "tracking"]

Shapes = dict[Literal["train", "held_out"], tuple[str, ...]]

# Shapes of numbers that identify something: # a digit, % a digit but 0, ? a capital letter; the rest stands for itself.
_ORDER_SHAPES: Shapes = {
    "train": (
        "%###", "%####", "%####", "%#####", "%######", "?-#####", "?-####", "??-#####", "ORD-#####", "ORD######",
        "??####", "??#####", "####-####", "####-?", "???-####-?", "SO-####", "2025-#####", "W-###-###", "?#####",
    ),
    "held_out": ("%####", "%#####", "?-#####", "??#####", "ORD-#####", "???/####", "###-###-###",
                 "PO-#####?", "?###-??"),
}  # fmt: skip
_TRACKING_SHAPES: Shapes = {
    "train": ("1Z########", "??#########", "??#########??", "JD##########", "TRK-######"),
    "held_out": ("??#########", "TRK-######", "RX#######??"),
}
_CUSTOMER_SHAPES: Shapes = {
    "train": ("C-####", "%####", "KD-#####", "CUST####", "K######"),
    "held_out": ("C-####", "%####", "MB-####"),
}
_POSTAL_SHAPES: Shapes = {
    "train": ("%####", "%####", "%###", "?%# %??", "%### ??", "%## ##", "##-###"),
    "held_out": ("%####", "%###", "??# %??"),
}
_PHONE_SHAPES: Shapes = {
    "train": (
        "+49 %## %#####", "+44 %### ######", "+1 %##-###-####", "0%## ######", "0%##/#######", "(%##) ###-####",
        "%##-###-####", "+33 % ## ## ## ##", "0%#########", "%########", "+48 ### ### ###",
    ),
    "held_out": ("+49 %## %#####", "+1 %##-###-####", "0%## ######", "+41 %# ### ## ##", "%##.###.####"),
}  # fmt: skip


def _shaped(random: Random, shape: str) -> str:
    """A number of a shape."""
    draw = {"#": "0123456789", "%": "123456789", "?": "ABCDEFGHJKLMNPQRSTVWXYZ"}
    return "".join(random.choice(draw[c]) if c in draw else c for c in shape)


def _shape(random: Random, shapes: Shapes, side: Side) -> str:
    """A shape of a side; the wide one has those of training, half of them changed in one place, but none held out."""
    if side != "wide":
        return random.choice(shapes[side])
    shape = random.choice(shapes["train"])
    if random.random() < 0.5:
        at = random.randrange(1, len(shape) - 1)
        changed = shape[:at] + random.choice(("", "#", "?", "-", "/", ".", " ")) + shape[at + random.randint(0, 1) :]
        shape = shape if changed in shapes["held_out"] else changed
    return shape


def _identifier(shapes: Shapes) -> Callable[[Random, Side], Mention]:
    """Maker of numbers of the given shapes; held-out ones have shapes of their own too."""

    def make(random: Random, side: Side) -> Mention:
        return verbatim(on_side(lambda: _shaped(random, _shape(random, shapes, side)), side))

    return make


def discount_code(random: Random, side: Side) -> Mention:
    """A code from an advertisement."""

    def make() -> str:
        word = random.choice(("SAVE", "WELCOME", "SPRING", "VIP", "HELLO", coined(random, 1).upper()))
        return f"{word}{random.choice(('', '-'))}{random.randint(5, 99)}"

    return verbatim(on_side(make, side))


order_id = _identifier(_ORDER_SHAPES)
tracking = _identifier(_TRACKING_SHAPES)
customer_id = _identifier(_CUSTOMER_SHAPES)
postal_code = _identifier(_POSTAL_SHAPES)
phone = _identifier(_PHONE_SHAPES)
