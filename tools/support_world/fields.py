"""Fields: under which names and types a record may hold what a text says.

A schema is drawn field by field: any subset, in any order, each under one of its names, required or not, nullable or
not. That is what lets the trained model follow a schema of the user's own, as long as its field names are among these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["KINDS", "Field", "Kind"]

String = {"type": "string"}
Integer = {"type": "integer"}
Number = {"type": "number"}
Boolean = {"type": "boolean"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One thing that a record may hold.

    Args:
        slot: which mention or label of the draft it holds; "" for a group.
        names: the property names it goes by, the usual one first.
        schema: JSON Schema of the value; "enum" lists all labels, of which a drawn schema may keep a part.
        formats: formats that a drawn schema may add to a string.
        parts: for an object, or for the objects in an array, the fields inside.
    """

    slot: str = ""
    names: tuple[str, ...]
    schema: Mapping[str, Any] = field(default_factory=lambda: String)
    formats: tuple[str, ...] = ()
    parts: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of record.

    Args:
        titles: names of its schemas.
        fields: what may be asked.
        usual: usual names of the fields of the usual record, in their order; none if there is no usual one.
    """

    titles: tuple[str, ...]
    fields: tuple[Field, ...]
    usual: tuple[str, ...] = ()


def labels(*values: str) -> dict[str, Any]:
    """Schema of a label that the world itself decides."""
    return {"type": "string", "enum": list(values)}


EMAIL = Field(slot="email", names=("email", "e_mail", "email_address"), formats=("email",))
PHONE = Field(slot="phone", names=("phone", "phone_number", "telephone"))
ORDER_ID = Field(slot="order_id", names=("order_id", "order_number", "order"))
AMOUNT = Field(slot="amount", names=("amount", "price", "total"), schema=Number)
CURRENCY = Field(
    slot="currency", names=("currency",), schema=labels("EUR", "USD", "GBP", "CHF", "SEK", "PLN", "CAD", "AUD")
)
STREET = Field(slot="street", names=("street", "address", "street_address"))
POSTAL_CODE = Field(slot="postal_code", names=("postal_code", "zip", "zip_code", "postcode"))
CITY = Field(slot="city", names=("city", "town"))
TIME = Field(slot="time", names=("time", "start_time"))
TONE = Field(slot="tone", names=("tone", "politeness"), schema=labels("polite", "neutral", "rude"))


def address(*names: str) -> Field:
    """The address as an object of its own."""
    return Field(names=names, schema={"type": "object"}, parts=(STREET, POSTAL_CODE, CITY))


def person(slot: str, *names: str) -> Field:
    """A person with contact details as an object of its own."""
    return Field(
        names=names, schema={"type": "object"}, parts=(Field(slot=slot, names=("name", "full_name")), EMAIL, PHONE)
    )


INTENT_NAMES = (
    "order_status", "late_delivery", "missing_item", "wrong_item", "damaged_item", "defective_product",
    "return_request",
    "refund_request", "exchange_request", "cancel_order", "change_address", "change_quantity", "invoice_request",
    "payment_failed", "double_charge", "discount_code", "price_question", "stock_question", "warranty_claim",
    "account_locked", "password_reset", "delete_account", "change_email", "unsubscribe", "complaint", "praise",
    "delivery_schedule",
)  # fmt: skip

KINDS: dict[str, Kind] = {
    "ticket": Kind(
        titles=("Ticket", "SupportTicket", "Message", "Request", "CustomerMessage"),
        usual=(
            "intent",
            "name",
            "order_id",
            "product",
            "amount",
            "currency",
            "date",
            "email",
            "phone",
            "urgency",
            "tone",
        ),
        fields=(
            Field(slot="intent", names=("intent", "category", "topic"), schema=labels(*INTENT_NAMES)),
            Field(slot="name", names=("name", "customer", "customer_name", "full_name")),
            EMAIL,
            PHONE,
            Field(slot="customer_id", names=("customer_id", "customer_number")),
            ORDER_ID,
            Field(slot="tracking", names=("tracking_number", "tracking_code")),
            Field(slot="product", names=("product", "item", "article")),
            Field(slot="replacement", names=("replacement", "new_product")),
            Field(slot="quantity", names=("quantity", "count"), schema=Integer),
            AMOUNT,
            CURRENCY,
            Field(slot="date", names=("date",), formats=("date",)),
            Field(slot="delivery_date", names=("delivery_date",), formats=("date",)),
            TIME,
            STREET,
            POSTAL_CODE,
            CITY,
            Field(slot="staff", names=("staff", "agent", "employee")),
            Field(slot="code", names=("discount_code", "code", "coupon")),
            TONE,
            Field(slot="urgency", names=("urgency", "priority"), schema=labels("low", "normal", "high")),
            Field(slot="urgent", names=("urgent", "is_urgent"), schema=Boolean),
            address("address", "delivery_address", "new_address"),
            person("name", "customer", "sender", "contact"),
        ),
    ),
    "order": Kind(
        titles=("Order", "PurchaseOrder", "OrderRequest"),
        usual=("items", "name", "street", "postal_code", "city", "delivery_date", "payment_method", "express"),
        fields=(
            Field(
                slot="items",
                names=("items", "products", "lines", "positions"),
                schema={"type": "array"},
                parts=(
                    Field(slot="product", names=("product", "name", "item", "article")),
                    Field(slot="quantity", names=("quantity", "count", "amount"), schema=Integer),
                    Field(slot="price", names=("price", "unit_price"), schema=Number),
                ),
            ),
            Field(slot="name", names=("name", "customer", "customer_name", "full_name")),
            Field(slot="company", names=("company", "organization")),
            EMAIL,
            PHONE,
            Field(slot="customer_id", names=("customer_id", "customer_number")),
            ORDER_ID,
            Field(slot="total", names=("total", "total_amount", "amount"), schema=Number),
            CURRENCY,
            Field(slot="delivery_date", names=("delivery_date", "date", "due_date"), formats=("date",)),
            STREET,
            POSTAL_CODE,
            CITY,
            Field(
                slot="payment",
                names=("payment_method", "payment"),
                schema=labels("card", "paypal", "invoice", "bank_transfer", "cash"),
            ),
            Field(slot="express", names=("express", "express_shipping"), schema=Boolean),
            Field(slot="gift", names=("gift_wrap", "gift"), schema=Boolean),
            TONE,
            address("address", "shipping_address", "delivery_address"),
            person("name", "customer", "buyer", "contact"),
        ),
    ),
    "meeting": Kind(
        titles=("Meeting", "MeetingNote", "MeetingNotes", "Minutes"),
        usual=("topic", "date", "location", "attendees", "action_items", "next_meeting"),
        fields=(
            Field(slot="topic", names=("topic", "title", "subject")),
            Field(slot="date", names=("date",), formats=("date",)),
            TIME,
            Field(slot="place", names=("location", "place", "room")),
            Field(slot="organizer", names=("organizer", "chair", "host")),
            Field(
                slot="attendees",
                names=("attendees", "participants", "people"),
                schema={"type": "array", "items": String},
            ),
            Field(
                slot="actions",
                names=("action_items", "actions", "tasks", "todos"),
                schema={"type": "array"},
                parts=(
                    Field(slot="owner", names=("owner", "assignee", "who", "person")),
                    Field(slot="task", names=("task", "what", "action")),
                    Field(slot="due", names=("due", "deadline", "due_date"), formats=("date",)),
                ),
            ),
            Field(slot="next_date", names=("next_meeting", "follow_up", "next_date"), formats=("date",)),
            Field(slot="amount", names=("budget", "amount"), schema=Number),
            CURRENCY,
        ),
    ),
    "appointment": Kind(
        titles=("Appointment", "AppointmentRequest"),
        fields=(
            Field(
                slot="action", names=("action", "request", "intent"), schema=labels("book", "move", "cancel", "confirm")
            ),
            Field(slot="service", names=("service", "treatment", "reason")),
            Field(slot="date", names=("date", "day"), formats=("date",)),
            TIME,
            Field(slot="duration", names=("duration_minutes", "duration", "minutes"), schema=Integer),
            Field(slot="name", names=("name", "customer", "client", "full_name")),
            Field(slot="staff", names=("staff", "with", "doctor")),
            EMAIL,
            PHONE,
            TONE,
            person("name", "client", "customer", "contact"),
        ),
    ),
    "booking": Kind(
        titles=("Booking", "Reservation", "HotelBooking"),
        fields=(
            Field(slot="hotel", names=("hotel", "hotel_name")),
            CITY,
            Field(slot="check_in", names=("check_in", "arrival", "start_date"), formats=("date",)),
            Field(slot="check_out", names=("check_out", "departure", "end_date"), formats=("date",)),
            Field(slot="guests", names=("guests", "people", "number_of_guests"), schema=Integer),
            Field(slot="nights", names=("nights",), schema=Integer),
            Field(
                slot="room_type",
                names=("room_type", "room"),
                schema=labels("single", "double", "twin", "suite", "family"),
            ),
            Field(slot="breakfast", names=("breakfast", "with_breakfast"), schema=Boolean),
            AMOUNT,
            CURRENCY,
            Field(slot="name", names=("name", "guest", "guest_name", "full_name")),
            EMAIL,
            PHONE,
            person("name", "guest", "customer", "contact"),
        ),
    ),
}
