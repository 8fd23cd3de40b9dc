"""Text that somebody else wrote, shown to a model as data: between marks that the text cannot contain.

The mark is a digest of the quoted texts themselves, so the same texts are always quoted alike, and nobody can write a
text that holds its own mark. `quoted` is what a model sees, `unquote` takes it apart again.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping

from proctor.siris.review.patterns import well_formed

HEAD, TAIL = 16_000, 8_000  # characters that are shown of a longer text, from its beginning and its end
# What chat templates use to begin a turn; a local model's tokenizer may take it for the real thing.
_CONTROL_TOKEN = re.compile(r"<(?=[|\uff5c])|<(?=/?s>|(?:start|end)_of_turn>)|\[(?=/?INST\])", re.IGNORECASE)


def quoted(texts: Mapping[str, str | None]) -> str:
    """All texts, each under its name (lower-case words) between its own pair of marked lines; None is no text."""
    shown = {name: None if text is None else neutral(text) for name, text in texts.items()}
    mark = _mark(*(text or "" for text in shown.values()))
    return "\n\n".join(_block(name, text, mark) for name, text in shown.items())


def neutral(text: str) -> str:
    """The text with everything that is invisible or steers a display or a chat template made visible or harmless.

    Line breaks and tabs stay, other spaces become plain ones; control and format characters are shown escaped.
    """
    plain = well_formed(text).replace("\r\n", "\n")
    return _CONTROL_TOKEN.sub(lambda found: found[0] + "\\", "".join(map(_visible, plain)))


def _visible(character: str) -> str:
    if character.isprintable() or character in "\n\t":
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return character.encode("unicode_escape").decode()


def _mark(*texts: str) -> str:
    number = 0
    while True:
        mark = hashlib.sha256("\0".join(["proctor", *texts, str(number)]).encode()).hexdigest()[:32]
        if not any(mark in text for text in texts):
            return mark
        number += 1


def _block(name: str, text: str | None, mark: str) -> str:
    if text is None:
        return f"[{mark}: there is no {name}]"
    left_out = len(text) - HEAD - TAIL
    if left_out > 0:
        text = f"{text[:HEAD]}\n[{mark}: {left_out} characters left out here]\n{text[-TAIL:]}"
    return f"[{mark}: {name} begins]\n{text}\n[{mark}: {name} ends]"


def unquote(text: str, name: str) -> str | None:
    """What stands between the marks of that name, with the note where something was left out; None for no text."""
    begin = re.search(rf"^\[([0-9a-f]{{32}}): {re.escape(name)} begins\]\n", text, re.MULTILINE)
    if begin is None:
        return None
    return text[begin.end() : text.index(f"\n[{begin[1]}: {name} ends]", begin.end())]
