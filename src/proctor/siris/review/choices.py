"""Which candidate a message chooses."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from proctor.siris.review.patterns import well_formed

Status = Literal["valid", "missing", "invalid", "ambiguous"]

TAIL = 200_000  # characters looked at, from the end: an answer closes a message
ATTEMPTS = 400  # opening braces tried, from the last one backwards; keeps hostile input linear

_FILLER = r"(?:option|candidate|design|policy|choice|answer|label)"
_LETTER = re.compile(r"(?<![\w'])[A-HJ-Z](?![\w'])")  # not I, which is a word
_ALONE = re.compile(rf"(?:the\s)?(?:{_FILLER}\s?:?\s?)?[(\"'\[]?([a-z])(?:[)\"'\]]?(?:\s?[(.:,;-].*)?|\)\s.*)", re.I)
_NAMED = re.compile(r"\b(?:option|candidate|design|policy)\s+[(\"'`]?([a-z])\b(?![\w'])", re.I)
_STATED = re.compile(
    r"\b(?:choices?|answer|recommend(?:ation|ed|ing|s)?|choose|chosen|chose|select(?:ed|ion)?|pick(?:ed)?|go(?:ing)?\swith|"
    r"stay\swith|switch\sto|keep|final)\b(?:\s(?:is|are|remains|would\sbe))?\s?[:=]?\s?(?:the\s)?"
    rf"(?:{_FILLER}\s?:?\s?)?[(\"'`]?([A-HJ-Z])(?![\w'-])(?!\s(?!(?:because|since|over|with|for|is|as|and|in|on|at|or)\b)[a-z])",
    re.I,
)
_NEGATED = re.compile(
    r"(?:\bnot|n't|\bnever|\brather than|\binstead of|\bcannot|\b(?:anything|everything|any|all|none) but|\bother than|"
    rf"\bexcept(?: for)?|\bavoid|\bwithout|\bagainst)\s(?:\w+\s)?(?:the\s)?(?:{_FILLER}\s?:?\s?)?[(\"'`]?$",
    re.I,
)
_DAMAGED = re.compile(r"[\"']choice[\"']\s?:\s?[\"']?([^\",}]{1,80})", re.I)
_PLAIN = str.maketrans({0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: "-"})
_NOTHING = {"", "none", "null", "n/a", "unknown", "undecided", "no choice"}
SHORT = 400  # characters up to which a message may be nothing but a label


@dataclass(frozen=True)
class Choice:
    """What a message chose: `label` is one of the offered labels exactly where `status` is valid."""

    label: str | None
    status: Status


MISSING = Choice(None, "missing")
INVALID = Choice(None, "invalid")
AMBIGUOUS = Choice(None, "ambiguous")


class _Twice:
    """The value of a choice that one JSON object gives more than once, differently."""


def parse_choice(text: str | None, labels: str = "ABCD") -> Choice:
    """The choice of a closing message.

    The last JSON object with a "choice" decides. Without one, a damaged object, a message that is nothing but a label,
    an explicit statement ("I recommend option B") and a lone named candidate are understood, in this order. Never
    raises; the time is linear in the length of the text.
    """
    text = _plain(text or "")
    values = [*_json_choices(text)] or _DAMAGED.findall(text)[-1:]
    if values:
        return _from_value(values[0], labels)
    prose = re.sub(r"[*_`#>\s]+", " ", text).strip()
    if len(prose) <= SHORT and len(set(_LETTER.findall(prose))) <= 1 and (alone := _ALONE.fullmatch(prose)):
        return _from_letters({alone[1].upper()}, labels)
    return _from_letters(set(_stated(prose)) or set(_named(prose)), labels)


def _plain(text: str) -> str:
    """The end of a text, in compatibility form, with plain quotes and dashes and without lone surrogates."""
    normal = unicodedata.normalize("NFKC", well_formed(text[-TAIL:]))  # one character may become eighteen
    return normal[-TAIL:].translate(_PLAIN)


def _json_choices(text: str) -> Iterator[Any]:
    """The values of "choice" in the JSON objects of a text, at most one: that of the last such object."""
    decoder = json.JSONDecoder(object_pairs_hook=_object, strict=False)
    end = len(text)
    for _ in range(ATTEMPTS):
        end = text.rfind("{", 0, end)
        if end < 0:
            return
        try:
            value, _ = decoder.raw_decode(text, end)
        except (ValueError, RecursionError):
            continue
        if "choice" in value:
            yield value["choice"]
            return


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    choices = [value for key, value in pairs if key.strip().lower() == "choice"]
    if not choices:
        return dict(pairs)
    return dict(pairs) | {"choice": choices[0] if all(value == choices[0] for value in choices) else _Twice()}


def _from_value(value: Any, labels: str) -> Choice:
    """The choice that the value of a "choice" field makes."""
    if isinstance(value, list) and len(value) <= 1:
        value = value[0] if value else None
    if isinstance(value, _Twice | list):
        return AMBIGUOUS
    if value is None:
        return MISSING
    if not isinstance(value, str):
        return INVALID
    word = re.sub(r"[*_`\s]+", " ", value[:SHORT]).strip(" \"'<>[]")
    if word.lower() in _NOTHING:
        return MISSING
    found = [*_LETTER.finditer(word)]
    letters = {match[0] for match in found}
    if len(letters) == 1 and any(_negated(word, match) for match in found):
        return INVALID
    if not letters and (alone := _ALONE.fullmatch(word)):
        letters = {alone[1].upper()}
    return _from_letters(letters, labels) if letters else INVALID


def _stated(prose: str) -> Iterator[str]:
    """Labels that a sentence chooses; a lower-case letter counts only where it cannot be the article."""
    for match in _STATED.finditer(prose):
        article = match[1] == "a" and prose[match.end() : match.end() + 1] not in ("", ")", ".", '"', "'")
        if not article and not _negated(prose, match):
            yield match[1].upper()


def _named(prose: str) -> Iterator[str]:
    """Labels that a sentence names without saying that it does not mean them."""
    return (match[1].upper() for match in _NAMED.finditer(prose) if not _negated(prose, match))


def _negated(text: str, match: re.Match[str]) -> bool:
    return bool(_NEGATED.search(text[max(0, match.start() - 40) : match.start()]))


def _from_letters(letters: set[str], labels: str) -> Choice:
    if not letters:
        return MISSING
    if len(letters) > 1:
        return AMBIGUOUS
    label = letters.pop()
    return Choice(label, "valid") if label in set(labels) else INVALID
