"""Steer a model by a classifier that is trained on the spot: towards polite replies, or rude ones.

    python -m examples.steer_with_classifier

Replies of two classes are written by `reply`: polite are those without a rude phrase. A small prefix classifier learns
to tell from a beginning what the whole will be, and the bundled model writes replies towards one class or the other. It
cannot write prose of its own accord, so a constraint says what a reply may be: any of the phrases, in their order. What
is measured is how many phrases of a reply are polite, by looking them up. Takes less than a minute on two cores.
"""

from __future__ import annotations

import re
import time
from random import Random

import guidance_kit as gk

PHRASES: list[dict[str, list[str]]] = [
    {
        "polite": ["Dear customer, ", "Hello, ", "Good morning, "],
        "rude": ["Look, ", "You again. ", "Listen, "],
    },
    {
        "polite": ["thank you for writing to us. ", "we are glad that you asked. ", "it is good to hear from you. "],
        "rude": ["we have no time for this. ", "stop writing to us. ", "what do you want now? "],
    },
    {
        "polite": ["Your parcel will arrive soon, ", "Please expect your parcel tomorrow, "],
        "rude": ["Your parcel is somewhere, ", "The parcel comes when it comes, "],
    },
    {
        "polite": ["and we are sorry for the delay.", "and please tell us if it does not."],
        "rude": ["so do not complain.", "and that is your problem."],
    },
]


def reply(rng: Random) -> tuple[str, str]:
    """A reply, and its class."""
    kinds = ["polite" if rng.random() < 0.8 else "rude" for _ in PHRASES]
    text = "".join(rng.choice(phrase[kind]) for phrase, kind in zip(PHRASES, kinds, strict=True))
    return text, "rude" if "rude" in kinds else "polite"


def politeness(text: str) -> float:
    """How many of the phrases of a reply are polite, in [0, 1]."""
    return sum(any(one in text for one in phrase["polite"]) for phrase in PHRASES) / len(PHRASES)


def any_reply() -> gk.Constraint:
    """What a reply may be: phrases of either kind, in their order."""
    options = ([*phrase["polite"], *phrase["rude"]] for phrase in PHRASES)
    return gk.regex("".join(f"({'|'.join(map(re.escape, some))})" for some in options))


def train(model: gk.Model, texts: int = 800, seed: int = 0) -> gk.PrefixClassifier:
    """A classifier of replies over the tokens of a model."""
    rng = Random(seed)
    written, classes = zip(*(reply(rng) for _ in range(texts)), strict=True)
    return gk.train_prefix_classifier(
        model.language_model, written, classes, layers=1, width=64, epochs=8, respelled=0.3, seed=seed
    )


def measure(model: gk.Model, count: int = 20) -> tuple[float, str]:
    """The mean politeness of the replies that a model writes, and one of them."""
    written = model.generate(["Reply: "] * count, any_reply(), seed=1, max_tokens=100)
    return sum(politeness(one.text) for one in written) / count, written[0].text


def main() -> None:
    model = gk.load()
    begin = time.perf_counter()
    classifier = train(model)
    print(f"trained in {time.perf_counter() - begin:.0f} seconds")
    rows = {"not steered": model}
    for kind in classifier.labels:
        rows[f"towards {kind}"] = gk.classifier_guided(model, classifier.of(kind), alpha=4.0)
    for name, steered in rows.items():
        mean, text = measure(steered)
        print(f"{name:16} {mean:4.0%} of the phrases are polite: {text}")


if __name__ == "__main__":
    main()
