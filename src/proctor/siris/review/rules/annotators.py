"""Annotators that need no model: they look for the rubric's own words.

They are made for the fixed sentences of the built-in models, so that annotation, agreement and the report can be tried
and tested without a key. They are no judges of free text: a paraphrase escapes them, and a denial that uses the words
counts as a claim.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from inspect_ai.model import ModelOutput

from proctor.siris.review.quoting import unquote
from proctor.siris.review.rules.broken import say
from proctor.siris.review.rules.dialogue import Dialogue

MESSAGES = {"initial": "message of the first turn", "final": "message of the review"}
SHARE = 0.6  # of the words that describe the limitation in short, found in one message
_LIMITATION = re.compile(r"^The documented limitation:\n\n(.+)$", re.MULTILINE)
_WORD = re.compile(r"[a-z0-9]{3,}")
_STOP = {"and", "are", "each", "for", "from", "has", "its", "not", "of", "one", "only", "own", "the", "what"}

Reads = Callable[[str, str], bool]  # (limitation in short, sentence or message) -> whether it is named


def annotator(dialogue: Dialogue) -> ModelOutput:
    """Says yes where a message has most of the words that describe the limitation in short."""
    return _label(dialogue, lambda limitation, text: _share(limitation, text) >= SHARE)


def annotator_strict(dialogue: Dialogue) -> ModelOutput:
    """Says yes only where a message has the short description of the limitation word for word."""
    return _label(dialogue, lambda limitation, text: " ".join(_words(limitation)) in " ".join(_words(text)))


def _label(dialogue: Dialogue, names: Reads) -> ModelOutput:
    asked = dialogue.questions[-1]
    limitation = _LIMITATION.search(asked)
    if limitation is None:
        return say("I annotate; I answer no other question.")
    texts = {turn: unquote(asked, name) or "" for turn, name in MESSAGES.items()}
    found = [turn for turn, text in texts.items() if names(limitation[1], text)]
    named = "\n".join(texts[turn] for turn in found)
    annotation = {
        "identifies": "yes" if found else "no",
        "turn": "both" if len(found) > 1 else found[0] if found else "none",
        "designs": _designs(limitation[1], named),
        "impact": _impact(texts[found[-1]]) if found else "unsaid",
    }
    return say(json.dumps(annotation))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _share(limitation: str, text: str) -> float:
    wanted = set(_words(limitation)) - _STOP
    return len(wanted & set(_words(text))) / len(wanted) if wanted else 0.0


def _designs(limitation: str, text: str) -> list[str]:
    """Labels in the sentences that share words with the limitation and speak of a candidate."""
    sentences = (s for s in re.split(r"[.;\n]\s", text) if _share(limitation, s) >= SHARE)
    return sorted({label for s in sentences for label in re.findall(r"\b(?:candidate|design)s? ([A-D])\b", s)})


def _impact(text: str) -> str:
    decision = re.search(r'"decision": ?"(follow|reconsider)"', text)
    return {"follow": "keeps", "reconsider": "changes"}[decision[1]] if decision else "unsaid"
