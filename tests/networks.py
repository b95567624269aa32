"""Networks for comparing the fast code with its twins: of a few texts, of repetitions, and random ones. Tests only."""

from __future__ import annotations

import random
from collections.abc import Sequence

from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.fsm.spelling import productive_states
from guidance_kit.grammars.regex import regex


def regex_network(pattern: str, flags: int = 0) -> Network:
    """The network of a regular expression."""
    return regex(pattern, flags).network()


def words_of(texts: Sequence[bytes]) -> Network:
    """The network of a few texts."""
    network = Network()

    def build() -> int:
        start, end = network.state(), network.state()
        for text in texts:
            network.literal(start, text, end)
        network.final(end)
        return start

    network.root = network.rule(build, nullable=b"" in texts)
    return network


def repeated(alphabet: bytes, minimum: int, maximum: int = UNBOUNDED) -> Network:
    """The network of `minimum` to `maximum` bytes of an alphabet."""
    network = Network()

    def build(end: int) -> int:
        start = network.state()
        for byte in alphabet:
            network.byte(start, byte, byte, end)
        return start

    network.root = network.repeat(build, minimum, maximum)
    return network


def random_network(seed: int, *, alphabet: bytes = b"abc", far_bounds: bool = False) -> Network:
    """A small random network in which every state can be completed and every rule may recurse after its first byte.

    Rules: 2 to 4 plain ones, nullable or not, up to 2 repetitions, and up to 1 counted rule. A rule's first edges read
    a byte or call a rule with a greater number, so no rule calls itself before reading. With `far_bounds` some bounds
    are beyond the length of the texts in the tests.
    """
    rng = random.Random(seed)
    while True:
        network = _attempt(rng, alphabet, far_bounds)
        number = 0
        while number < len(network.rules):  # building a rule may declare others
            network.ensure_built(number)
            number += 1
        if all(productive_states(network)):
            return network


def counted_network(seed: int, *, alphabet: bytes = b"abc", far_bounds: bool = False) -> Network:
    """A small random network whose root is a counted rule; it may be complete before the first byte."""
    network, rng = Network(), random.Random(seed)
    network.root = _counted(network, rng, alphabet, rng.random() < 0.5, far_bounds)
    return network


def _attempt(rng: random.Random, alphabet: bytes, far_bounds: bool) -> Network:
    network = Network()
    plain = rng.randint(2, 4)
    repeated = plain + rng.randint(0, 2)
    count = repeated + rng.randint(0, 1)
    nullable = [False] * count
    bounds: dict[int, tuple[int, int]] = {}
    for number in range(plain, repeated):
        minimum = rng.choice([0, 1, 7, 25] if far_bounds else [0, 1, 2, 3])
        bounds[number] = (
            minimum,
            rng.choice([UNBOUNDED, max(1, minimum), minimum + rng.randint(1, 40 if far_bounds else 5)]),
        )
        nullable[number] = minimum == 0
    if repeated < count:
        nullable[repeated] = rng.random() < 0.5
    for number in range(plain):
        nullable[number] = number > 0 and rng.random() < 0.3

    def body(number: int, end: int) -> int:
        """States of one rule or of one turn, ending in `end`; reads at least one byte before it gets there."""
        start = network.state()
        middle = list(network.states(rng.randint(1, 3)))
        for _ in range(rng.randint(1, 3)):
            _byte(start, rng.choice(middle))
        if rng.random() < 0.6 and number + 1 < count:
            callee = rng.randint(number + 1, count - 1)
            if not nullable[callee]:
                network.call(start, callee, rng.choice([*middle, end]))
        for state in middle:
            for _ in range(rng.randint(0, 2)):
                _byte(state, rng.choice([*middle, end]))
            if rng.random() < 0.5:
                network.call(state, rng.randrange(count), rng.choice([*middle, end]))
            if rng.random() < 0.4:
                network.epsilon(state, rng.choice([*middle, end]))
        return start

    def _byte(state: int, target: int) -> None:
        lo, hi = sorted((rng.choice(alphabet), rng.choice(alphabet)))
        network.byte(state, lo, hi if rng.random() < 0.4 else lo, target)

    def plain_rule(number: int):
        def build() -> int:
            end = network.state()
            network.final(end)
            start = body(number, end)
            if nullable[number]:
                network.epsilon(start, end)
            return start

        return build

    for number in range(plain):
        network.rule(plain_rule(number), nullable=nullable[number], name=f"r{number}")
    for number in range(plain, repeated):
        network.repeat(lambda end, number=number: body(number, end), *bounds[number], name=f"x{number}")
    if repeated < count:
        _counted(network, rng, alphabet, nullable[repeated], far_bounds)
    network.root = 0
    return network


def _counted(network: Network, rng: random.Random, alphabet: bytes, nullable: bool, far_bounds: bool) -> int:
    """Declare a counted rule: a few places, the least number of turns from each to the end, and turns between them.

    A turn reads one or two bytes, of which the second may have a rule of its own; the place after it is a state or a
    part of the counted rule.
    """
    size = rng.choice([1, 2, 3, 4, 9])
    ends = {place for place in range(1, size) if rng.random() < 0.2} | {size - 1}
    ends = ends | {0} if nullable else ends - {0}
    if not ends:
        size, ends = 2, {1}
    ways = [(place, place + 1) for place in range(size - 1)]
    ways += [(rng.randrange(size), rng.randrange(size)) for _ in range(rng.randint(2, 9))]
    least = [0 if place in ends else size for place in range(size)]
    for _ in range(size):
        for source, target in ways:
            least[source] = min(least[source], 1 + least[target])
    maximum = max(1, least[0]) + rng.choice([4, 6, 9, 40] if far_bounds else [0, 1, 2, 3])
    places: dict[int, int] = {}

    def one_of(letters: bytes) -> int:
        begin, end = network.states(2)
        network.byte(begin, min(letters), max(letters), end)
        network.final(end)
        return begin

    def build(place: int) -> int:
        if place in places:
            return places[place]
        here = places[place] = network.state()
        if place in ends:
            network.final(here)
        for source, target in ways:
            if source != place:
                continue
            begin, end = network.states(2)
            network.within(here, 1 + least[target], begin)
            if rng.random() < 0.2:
                middle = network.state()
                network.literal(begin, bytes(rng.choices(alphabet)), middle)
                network.call(middle, second, end)
            else:
                network.literal(begin, bytes(rng.choices(alphabet, k=rng.randint(1, 2))), end)
            if target in places:
                network.turn(end, places[target])
            else:
                part = network.state()
                network.turn(end, part)
                network.jump(part, network.rule(lambda target=target: build(target), nullable=False))
        return here

    number = network.counted(lambda: build(0), maximum, 1 + max(least), nullable=nullable)
    second = network.rule(lambda: one_of(alphabet[:2]), nullable=False)
    return number
