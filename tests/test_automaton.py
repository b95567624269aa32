"""The automaton against its twin, on random networks with recursion, ambiguity, empty rules and counters."""

from __future__ import annotations

import itertools
import os
import random
import threading

import pytest
from forked import holds_in_child
from marks import slow
from networks import counted_network, random_network
from oracles import Interpreter

from guidance_kit.errors import LimitError
from guidance_kit.fsm import arenas
from guidance_kit.fsm.automaton import Automaton
from guidance_kit.fsm.kernels import codes
from guidance_kit.fsm.limits import Limits
from guidance_kit.fsm.network import UNBOUNDED, Network
from guidance_kit.grammars.regular import declare, parse


def judge(automaton: Automaton, text: bytes) -> tuple[bool, bool]:
    """(viable prefix, in the language)."""
    path = automaton.advance(automaton.start, text)
    viable = len(path) == len(text)
    config = int(path[-1]) if len(path) else automaton.start
    return viable, viable and automaton.is_complete(config)


def agree(network: Network, length: int) -> int:
    automaton, twin = Automaton(network), Interpreter(network)
    compared = 0
    todo = [(b"", twin.start)]
    while todo:
        text, items = todo.pop()
        assert judge(automaton, text) == (bool(items), None in items), text
        compared += 1
        if items and len(text) < length:
            todo.extend((text + bytes([byte]), twin.step(items, byte)) for byte in b"abc")
    return compared


@pytest.mark.parametrize("first", [0, 20, *slow(40, 60, 80, 100)])
def test_automaton_agrees_with_interpreter(first):
    assert sum(agree(random_network(seed), 5) for seed in range(first, first + 20)) > 1000
    assert sum(agree(counted_network(seed), 5) for seed in range(first, first + 20)) > 500


def test_automaton_agrees_with_interpreter_while_all_arrays_grow(monkeypatch):
    grown = []
    make_room = Automaton.make_room
    monkeypatch.setattr(Automaton, "make_room", lambda self, code: (grown.append(code), make_room(self, code)))
    monkeypatch.setattr(arenas, "_ROWS", 4)
    monkeypatch.setattr(arenas, "_MANY", 0)
    for seed in range(60):
        agree(random_network(seed), 4)
        agree(counted_network(seed), 4)
    for code in (codes.FULL_NODES, codes.FULL_CALLERS, codes.FULL_CONFIGS):
        assert grown.count(code) > 30


@pytest.mark.slow
def test_automaton_agrees_with_interpreter_on_many_networks():
    assert sum(agree(random_network(seed), 6) for seed in range(1000, 2000)) > 250_000
    assert sum(agree(counted_network(seed), 6) for seed in range(1000, 3000)) > 100_000


def repetition(minimum: int, maximum: int, words: tuple[bytes, ...] = (b"a", b"aa")) -> Network:
    network = Network()

    def body(end: int) -> int:
        start = network.state()
        for word in words:
            network.literal(start, word, end)
        return start

    network.root = network.repeat(body, minimum, maximum)
    return network


@pytest.mark.parametrize("bounds", [(0, 1), (1, 1), (0, 4), (2, 5), (3, 3), (2, UNBOUNDED), (0, UNBOUNDED)])
def test_ambiguous_repetition_counts_exactly(bounds):
    minimum, maximum = bounds
    automaton = Automaton(repetition(minimum, maximum))
    for length in range(14):
        # k turns spell every length from k to 2 k
        expected = minimum <= length and (maximum == UNBOUNDED or length <= 2 * maximum)
        assert judge(automaton, b"a" * length)[1] is expected, length


def test_large_counter_costs_what_the_text_costs():
    automaton = Automaton(repetition(0, 100_000, (b"a",)))
    assert judge(automaton, b"a" * 300) == (True, True)
    assert automaton.statistics()["states"] < 10
    assert automaton.statistics()["configurations"] < 310


def test_right_recursion_does_not_grow_the_stack():
    network = Network()

    def build() -> int:
        start, middle, end = network.states(3)
        network.final(end)
        network.byte(start, 97, 97, middle)
        network.byte(start, 98, 98, end)
        network.call(middle, 0, end)
        return start

    network.root = network.rule(build, nullable=False)
    automaton = Automaton(network)
    assert judge(automaton, b"a" * 10_000 + b"b") == (True, True)
    assert automaton.statistics()["nodes"] < 10
    assert automaton.statistics()["configurations"] < 10


def test_rules_are_built_only_when_a_text_reaches_them():
    network = Network()
    built = []

    def lazy(name: str, byte: int):
        def build() -> int:
            built.append(name)
            start, end = network.states(2)
            network.final(end)
            network.byte(start, byte, byte, end)
            return start

        return build

    def root() -> int:
        start, one, two, end = network.states(4)
        network.final(end)
        network.byte(start, 49, 49, one)
        network.byte(start, 50, 50, two)
        network.call(one, first, end)
        network.call(two, second, end)
        return start

    network.root = network.rule(root, nullable=False)
    first = network.rule(lazy("first", 0x61), nullable=False)
    second = network.rule(lazy("second", 0xE9), nullable=False)
    automaton = Automaton(network)
    assert built == []
    assert judge(automaton, b"1a") == (True, True)
    assert built == ["first"]
    assert judge(automaton, b"2\xe9") == (True, True)
    assert judge(automaton, b"1\xe9") == (False, False)
    assert built == ["first", "second"]


def test_live_bytes_are_those_that_can_be_read():
    for seed in range(30):
        network = random_network(seed)
        automaton = Automaton(network)
        for text in itertools.islice(itertools.product(b"abc", repeat=3), 27):
            path = automaton.advance(automaton.start, bytes(text))
            if len(path) == 3:
                live = automaton.live_bytes(int(path[-1]))
                for byte in range(256):
                    assert live[byte] == (len(automaton.advance(int(path[-1]), bytes([byte]))) == 1)


def grammar_network(productions: dict[str, list[str]], start: str = "S") -> Network:
    """A context-free grammar: lower-case letters are read, capitals are called."""
    network = Network()
    numbers = {name: number for number, name in enumerate(productions)}
    nullable: set[str] = set()
    while True:
        more = {name for name, choices in productions.items() if any(set(choice) <= nullable for choice in choices)}
        if more == nullable:
            break
        nullable = more

    def rule(name: str):
        def build() -> int:
            begin, end = network.states(2)
            network.final(end)
            for choice in productions[name]:
                state = begin
                for letter in choice:
                    following = network.state()
                    if letter in numbers:
                        network.call(state, numbers[letter], following)
                    else:
                        network.byte(state, ord(letter), ord(letter), following)
                    state = following
                network.epsilon(state, end)
            return begin

        return build

    for name in productions:
        network.rule(rule(name), nullable=name in nullable, name=name)
    network.root = numbers[start]
    return network


def language(productions: dict[str, list[str]], longest: int, start: str = "S") -> set[str]:
    """All texts of up to `longest` letters, as the least solution of the equations."""
    texts: dict[str, set[str]] = {name: set() for name in productions}
    while True:
        before = sum(map(len, texts.values()))
        for name, choices in productions.items():
            for choice in choices:
                sums = {""}
                for letter in choice:
                    parts = texts.get(letter, {letter})
                    sums = {one + other for one in sums for other in parts if len(one + other) <= longest}
                texts[name] |= sums
        if sum(map(len, texts.values())) == before:
            return texts[start]


GRAMMARS = {
    "direct": {"S": ["Sa", "b"]},
    "nullable": {"S": ["Sa", ""]},
    "indirect": {"S": ["Ta", "b"], "T": ["Sc", "c"]},
    "hidden": {"S": ["NSa", "b"], "N": ["", "c"]},
    "cyclic": {"S": ["T", "aSb", "SS"], "T": ["S", "c", ""]},
    "two circles": {"S": ["SaT", "T"], "T": ["TbU", "U"], "U": ["cSc", "a"]},
    "circle under a circle": {"S": ["TSa", "b"], "T": ["Tc", "Sb", ""]},
    "left and right": {"S": ["SaS", "b"]},
    "both ends": {"S": ["Tb", "a"], "T": ["Sa", "TT", "b"]},
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_left_recursion(name):
    check_grammar(GRAMMARS[name], 6)


def check_grammar(productions: dict[str, list[str]], longest: int) -> None:
    """Every text of up to `longest` letters: in the language or not, and open if a text of the language begins so."""
    texts = language(productions, longest)
    prefixes = {text[:cut] for text in texts for cut in range(len(text) + 1)}
    automaton = Automaton(grammar_network(productions))
    for length in range(longest + 1):
        for letters in itertools.product("abc", repeat=length):
            text = "".join(letters)
            viable, complete = judge(automaton, text.encode())
            assert complete == (text in texts), (productions, text)
            assert viable or text not in prefixes, (productions, text)


def random_grammar(seed: int) -> dict[str, list[str]]:
    """Up to four nonterminals, each with a text, most of them left-recursive in some way."""
    rng = random.Random(seed)
    names = "STUV"[: rng.randint(1, 4)]
    while True:
        productions = {
            name: ["".join(rng.choices(names + "abc", k=rng.randint(0, 3))) for _ in range(rng.randint(1, 3))]
            for name in names
        }
        if all(language(productions, 4, name) for name in names):
            return productions


def test_random_grammars():
    for seed in range(150):
        check_grammar(random_grammar(seed), 5)


@pytest.mark.slow
def test_many_random_grammars():
    for seed in range(1000, 6000):
        check_grammar(random_grammar(seed), 5)


@pytest.mark.parametrize("most", [300, 512, 1000, 1024, 3000])
def test_the_limit_on_configurations_is_named(most):
    automaton = Automaton(repetition(0, 100_000), limits=Limits(max_configurations=most))
    with pytest.raises(LimitError, match=f"max_configurations={most}"):
        judge(automaton, b"a" * 5000)
    assert automaton.statistics()["configurations"] <= max(most, 512)


@pytest.mark.parametrize("most", [3 * 2**20, *slow(10 * 2**20)])
def test_the_limit_on_memory_is_named(most):
    """Of many configurations, and of few with many items."""
    for network in (repetition(0, 100_000, (b"a",)), repetition(50_000, 100_000)):
        automaton = Automaton(network, limits=Limits(max_automaton_bytes=most))
        with pytest.raises(LimitError, match=f"max_automaton_bytes={most}"):
            judge(automaton, b"a" * 100_000)
        assert most / 4 < automaton.statistics()["bytes"] < 2 * most


def test_turns_that_can_be_counted_in_several_ways_count_as_few():
    """What has fewer turns can do all that what has more of them can, so there are few items."""
    for pattern, text in (
        ("(a|aa){0,100000}", b"a" * 20_000),
        ("(x{0,300}y{0,300}){0,300}", b"xxyyy" * 300),
        (r"([a-z]+ *){0,1000}", b"some words and more " * 100),
    ):
        network = Network()
        network.root = declare(network, parse(pattern))
        automaton = Automaton(network)
        assert judge(automaton, text) == (True, True)
        configs = automaton.arena.configs[: automaton.statistics()["configurations"]]
        assert (configs[:, 1] - configs[:, 0]).max() < 20


def test_limits_are_named():
    with pytest.raises(LimitError, match="max_items"):
        automaton = Automaton(repetition(50_000, 100_000), limits=Limits(max_items=256))
        judge(automaton, b"a" * 5000)


def test_threads_share_an_automaton():
    network = random_network(7)
    automaton, twin = Automaton(network), Interpreter(random_network(7))
    texts = [bytes(text) for n in range(6) for text in itertools.product(b"abc", repeat=n)]
    expected = {text: (twin.is_viable(text), twin.accepts(text)) for text in texts}
    wrong = []

    def work(offset: int) -> None:
        for i in range(len(texts)):
            text = texts[(i * 7 + offset) % len(texts)]
            if judge(automaton, text) != expected[text]:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(k * 31,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_goes_on_though_another_thread_held_the_lock():
    automaton = Automaton(repetition(0, UNBOUNDED))
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with automaton.lock:
            held.set()
            release.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    goes_on = holds_in_child(lambda: judge(automaton, b"a" * 1000) == (True, True))
    release.set()
    thread.join()
    assert goes_on


def test_canonical_configurations_have_the_same_future():
    """Within the horizon, what stands for a configuration reads exactly what the configuration itself reads."""
    changed = 0
    for seed in range(40):
        network = (counted_network if seed % 2 else random_network)(seed, far_bounds=True)
        automaton = Automaton(network, horizon=3)
        known = {automaton.start}
        for text in itertools.product(b"abc", repeat=6):
            known.update(automaton.advance(automaton.start, bytes(text)).tolist())
        for config in sorted(known)[:60]:
            same = automaton.canonical(config)
            changed += same != config
            assert automaton.canonical(same) == same
            for length in range(4):
                for text in itertools.product(b"abc", repeat=length):
                    one, other = (automaton.advance(c, bytes(text)) for c in (config, same))
                    assert len(one) == len(other)
                    if len(one) == length and length:
                        assert automaton.is_complete(int(one[-1])) == automaton.is_complete(int(other[-1]))
    assert changed > 60
