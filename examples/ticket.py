"""What a customer wants, as a record: the schema of the messages in examples/messages.

guidance-kit extract --schema examples.ticket:Ticket examples/messages -o tickets.jsonl
"""

from __future__ import annotations

import datetime
from typing import Literal

from pydantic import BaseModel

__all__ = ["Ticket"]

Intent = Literal[
    "order_status",
    "late_delivery",
    "missing_item",
    "wrong_item",
    "damaged_item",
    "defective_product",
    "return_request",
    "refund_request",
    "exchange_request",
    "cancel_order",
    "change_address",
    "change_quantity",
    "invoice_request",
    "payment_failed",
    "double_charge",
    "discount_code",
    "price_question",
    "stock_question",
    "warranty_claim",
    "account_locked",
    "password_reset",
    "delete_account",
    "change_email",
    "unsubscribe",
    "complaint",
    "praise",
    "delivery_schedule",
]


class Ticket(BaseModel):
    """One message to the support desk. What the message does not say is null."""

    intent: Intent
    name: str | None
    order_id: str | None
    product: str | None
    amount: float | None
    currency: Literal["EUR", "USD", "GBP", "CHF", "SEK", "PLN", "CAD", "AUD"] | None
    date: datetime.date | None
    email: str | None
    phone: str | None
    urgency: Literal["low", "normal", "high"]
    tone: Literal["polite", "neutral", "rude"]
