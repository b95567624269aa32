"""An order by mail, as a record: the schema of the texts in examples/orders.

guidance-kit extract --schema examples.order:Order examples/orders -o orders.jsonl
"""

from __future__ import annotations

import datetime
from typing import Literal

from pydantic import BaseModel

__all__ = ["Item", "Order"]


class Item(BaseModel):
    """One line of an order."""

    product: str
    quantity: int
    price: float | None


class Order(BaseModel):
    """What somebody wants to buy, and where it goes. What the text does not say is null."""

    items: list[Item]
    name: str | None
    street: str | None
    postal_code: str | None
    city: str | None
    delivery_date: datetime.date | None
    payment_method: Literal["card", "paypal", "invoice", "bank_transfer", "cash"] | None
    express: bool
