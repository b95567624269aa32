"""Numbers that identify something: orders, customers, parcels, telephones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tools.support_world.entities.mention import Mention, Side, on_side, verbatim
from tools.support_world.entities.words import coined

__all__ = ["customer_id", "discount_code", "order_id", "phone", "postal_code", "tracking"]

# Shapes of numbers that identify something: # a digit, % a digit but 0, ? a capital letter; the rest stands for itself.
_ORDER_SHAPES: dict[Side, tuple[str, ...]] = {
    "train": (
        "%###", "%####", "%####", "%#####", "%######", "?-#####", "?-####", "??-#####", "ORD-#####", "ORD######",
        "??####", "??#####", "####-####", "####-?", "???-####-?", "SO-####", "2025-#####", "W-###-###", "?#####",
    ),
    "held_out": ("%####", "%#####", "?-#####", "??#####", "ORD-#####", "???/####", "###-###-###",
                 "PO-#####?", "?###-??"),
}  # fmt: skip
_TRACKING_SHAPES: dict[Side, tuple[str, ...]] = {
    "train": ("1Z########", "??#########", "??#########??", "JD##########", "TRK-######"),
    "held_out": ("??#########", "TRK-######", "RX#######??"),
}
_CUSTOMER_SHAPES: dict[Side, tuple[str, ...]] = {
    "train": ("C-####", "%####", "KD-#####", "CUST####", "K######"),
    "held_out": ("C-####", "%####", "MB-####"),
}
_POSTAL_SHAPES: dict[Side, tuple[str, ...]] = {
    "train": ("%####", "%####", "%###", "?%# %??", "%### ??", "%## ##", "##-###"),
    "held_out": ("%####", "%###", "??# %??"),
}
_PHONE_SHAPES: dict[Side, tuple[str, ...]] = {
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


def _identifier(shapes: dict[Side, tuple[str, ...]]) -> Callable[[Random, Side], Mention]:
    """Maker of numbers of the given shapes; held-out ones have shapes of their own too."""

    def make(random: Random, side: Side) -> Mention:
        return verbatim(on_side(lambda: _shaped(random, random.choice(shapes[side])), side))

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
