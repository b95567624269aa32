"""People: their names and e-mail addresses."""

from __future__ import annotations

from random import Random

from tools.support_world.entities.mention import Mention, Side, lists, on_side, pick, verbatim
from tools.support_world.entities.words import coined

__all__ = ["email", "first_name", "name", "person_name"]

_FIRST_NAMES = lists(
    """Anna Peter Maria Tom Laura Ben Sofia Max Emma Paul Julia Lukas Nina Felix Clara David Sarah Jonas Lea Simon
    Alice Robert Karen Michael Linda James Patricia John Susan Daniel Nancy Mark Lisa Steven Betty Andrew Sandra Kevin
    Ashley Brian Donna George Carol Edward Ruth Ronald Sharon Anthony Michelle Ravi Priya Arjun Ananya Wei Ling
    Hiroshi Yuki Kenji Aiko Ahmed Fatima Omar Layla Yusuf Zainab Carlos Lucia Diego Elena Javier Carmen Pablo Rosa
    João Inês Pedro Beatriz Giulia Marco Chiara Luca Pierre Camille Antoine Élodie Noémie Björn Astrid Lars Ingrid
    Søren Freja Łukasz Agnieszka Paweł Zofia Ivan Olga Dmitri Natalia Kwame Ama Chidi Ngozi Thabo Zanele Mehmet Ayşe
    Emre Elif Nikos Eleni Matteo Jürgen Zoë Chloe Oliver Amelia Harry Isla Jack Ava Noah Mia Liam Grace Ethan Lily""",
    """Marta Tobias Henrik Bianca Rafael Simone Viktor Adele Cem Dalia Finn Greta Hugo Iris Jasper Katarzyna Leon
    Mireille Nadia Otto Petra Quentin Renata Stefan Tamara Ulrich Vera Wanda Xavier Yvonne Zara Émile Øyvind Jacek
    Thandiwe Nkechi Rajesh Sunita Haruto Mei Farid Samira Graham Philippa Desmond""",
    wide="""Abigail Adam Albert Alexei Amir Amy Andrea Ángel Anouk Arthur Barbara Bruno Catherine Cecilia Charles
    Christine Connor Dennis Dominik Dorothy Edith Eduardo Emil Erik Esther Eva Fiona Florian Frances Frank Gabriel
    Gerda Gustav Hannah Hans Heather Helen Henry Hilda Ian Ida Irene Jakob Jana Jean Jens Joan Johanna Joseph Judith
    Karl Katie Klaus Kofi Kurt Lena Leonie Louis Lorenzo Magnus Manuel Margaret Martin Mathilde Matthew Megan Milan
    Miriam Mohammed Monika Naomi Nathan Nicole Niklas Nora Oscar Pascal Philip Rachel Rebecca Richard Roland Rosemary
    Sabine Salma Samuel Sebastian Silvia Sven Sylvie Teresa Theo Timothy Tina Ursula Victor Vincent Walter Wei-Lin
    William Yara""",
)
_LAST_NAMES = lists(
    """Müller Schmidt Fischer Weber Wagner Becker Hoffmann Koch Richter Klein Wolf Schröder Neumann Smith Johnson
    Williams Brown Jones Miller Davis Wilson Moore Taylor Anderson Thomas Jackson White Harris Martin Thompson
    Robinson Clark Lewis Lee Walker Hall Allen Young King Wright Hill Scott Green Adams Baker Nelson Carter Mitchell
    Roberts Turner Phillips Campbell Parker Evans Edwards Collins Stewart Morris Rogers Reed Cook Bell Murphy Bailey
    Cooper Patel Sharma Singh Kumar Gupta Chen Wang Zhang Liu Tanaka Suzuki Sato Kim Park Nguyen Tran Hassan Ali Khan
    García Martínez López Fernández Rossi Russo Ferrari Dubois Lefèvre Moreau Larsen Hansen Nilsson Virtanen Kowalski
    Nowak Novák Horvat Popescu Ivanov Okafor Mensah Dlamini Yılmaz Papadopoulos O'Brien O'Connor McCarthy van Dijk de
    Vries""",
    """Zimmermann Hartmann Vogel Lindqvist Bergström Castellano Montoya Delacroix Fournier Wiśniewska Svoboda Petrov
    Adeyemi Botha Kaya Demir Nakamura Watanabe Choi Pham Rahman Siddiqui Iyer Banerjee Fitzgerald Gallagher Whitaker
    Thornton Ashworth Pemberton Blackwood Hawthorne Sandoval Quintero Marchetti Bellini Jansen Visser""",
    wide="""Abbott Aguilar Albrecht Andersen Arnold Bakker Barnes Bauer Becker Benson Berger Bianchi Bishop Bond Bradley
    Burke Burton Byrne Carlsson Castro Chapman Coleman Conti Costa Cruz Cunningham Dahl Dean Delgado Dixon Doyle Dunn
    Eklund Ellis Engel Ferguson Flores Foster Franke Friedrich Fuchs Gibson Gomez Graf Grant Gruber Haas Hamilton Hart
    Hayes Henry Herrera Holm Huber Hughes Hunt Jacobs Jansson Jensen Jordan Kaiser Kelly Kennedy Knight Kraus Lambert
    Lang Lawson Lehmann Lindholm Lopes Lund Maier Marino Marsh Mason Mendes Meyer Mills Moreno Möller Nash Nielsen
    Ortega Owens Palmer Pearson Peters Petersen Pfeiffer Porter Powell Quinn Ramos Ricci Riley Romano Ryan Sanders
    Santos Schäfer Schulz Shaw Silva Simpson Sørensen Stone Sutter Torres Vargas Vaughan Vasquez Wallace Walsh Warren
    Webb Weiss West Winkler Woods Ziegler""",
)
_SURNAME_ENDS = ["son", "sen", "ski", "ova", "berg", "mann", "ez", "ini", "wood", "ley", "ton", "er", "", "", ""]


def first_name(random: Random, side: Side) -> str:
    """A first name."""
    if random.random() < 0.5:
        return pick(random, _FIRST_NAMES, side)
    return on_side(lambda: coined(random, random.choice((2, 2, 3))), side)


def _last_name(random: Random, side: Side) -> str:
    """A last name."""
    if random.random() < 0.4:
        return pick(random, _LAST_NAMES, side)
    return on_side(lambda: coined(random, random.choice((1, 2, 2))) + random.choice(_SURNAME_ENDS), side)


def person_name(random: Random, side: Side) -> str:
    """A person's name: mostly first and last, sometimes with an initial, a title or a double name."""
    first, last = first_name(random, side), _last_name(random, side)
    form = random.random()
    if form < 0.70:
        return f"{first} {last}"
    if form < 0.84:
        return first
    if form < 0.89:
        return f"{first[0]}. {last}"
    if form < 0.93:
        return f"{first} {random.choice('ABCDEFGHJKLMNPRSTW')}. {last}"
    if form < 0.97:
        return f"{first} {last}-{_last_name(random, side)}".replace(" de ", " ").replace(" van ", " ")
    return f"{random.choice(('Dr.', 'Mr.', 'Ms.', 'Mrs.', 'Prof.'))} {last}"


def name(random: Random, side: Side) -> Mention:
    """A person, as `person_name` writes it."""
    return verbatim(person_name(random, side))


def email(random: Random, side: Side) -> Mention:
    """An e-mail address, mostly with a name in it."""

    def make() -> str:
        first, last = first_name(random, side), _last_name(random, side)
        first, last = (
            "".join(c for c in part.casefold() if "a" <= c <= "z") or coined(random, 2).casefold()
            for part in (first, last)
        )
        local = random.choice(
            (
                f"{first}.{last}", f"{first}{last}", f"{first[0]}.{last}", f"{first}_{last}",
                f"{last}.{first[0]}", first,
                f"{first}{random.randint(1, 99)}", f"{last}{random.randint(60, 2009)}", f"{first}-{last}",
            )
        )  # fmt: skip
        domain = random.choice(
            ("gmail.com", "mail.com", "example.com", "web.de", "gmx.net", "outlook.com", "yahoo.com", "proton.me")
            if random.random() < 0.5
            else (
                f"{coined(random, 2).lower()}.{random.choice(('com', 'org', 'net', 'de', 'co.uk', 'io', 'eu', 'fr'))}",
            )
        )
        return f"{local}@{domain}"

    return verbatim(on_side(make, side))
