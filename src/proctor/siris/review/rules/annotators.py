"""Annotators that need no model: they look for the words of the rubric's description in each sentence.

They are made for the fixed sentences of the built-in models, so that annotation, agreement and the report can be tried
and tested without a key. They are no judges of free text: a paraphrase escapes them, and a denial that uses the words
counts as a claim.
"""

from __future__ import annotations

import json
import re

from inspect_ai.model import ModelOutput

from proctor.siris.review.quoting import unquote
from proctor.siris.review.rules.broken import say
from proctor.siris.review.rules.dialogue import Dialogue

MESSAGES = {"initial": "message of the first turn", "final": "message of the review"}
SHARE, STRICT_SHARE = 0.5, 0.7  # of a sentence's words that the description of the limitation has too
FEWEST = 4  # such words; fewer are chance
STEM = 5  # characters in which words are compared: credit, credits, credited
_LIMITATION = re.compile(r"^The documented limitation:\n\n(.+?)\n\nThe material:$", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"[a-z0-9]{2,}")
_SENTENCE_END = re.compile(r'[.;:]\s|[{}"\n]')
_STOP = _WORD.findall(
    "and are as at but by for from has have in is it its let not of on one or so that the them then there they this to "
    "was what which with do does simulator specification"
)


def annotator(dialogue: Dialogue) -> ModelOutput:
    """Says yes where half the words of a sentence stand in the description of the limitation."""
    return _label(dialogue, SHARE)


def annotator_strict(dialogue: Dialogue) -> ModelOutput:
    """Says yes where seven in ten words of a sentence stand in the description of the limitation."""
    return _label(dialogue, STRICT_SHARE)


def _label(dialogue: Dialogue, share: float) -> ModelOutput:
    asked = dialogue.questions[-1]
    limitation = _LIMITATION.search(asked)
    if limitation is None:
        return say("I annotate; I answer no other question.")
    texts = {turn: unquote(asked, name) or "" for turn, name in MESSAGES.items()}
    claims = {turn: _claims(text, _stems(limitation[1]), share) for turn, text in texts.items()}
    found = [turn for turn, sentences in claims.items() if sentences]
    annotation = {
        "identifies": "yes" if found else "no",
        "turn": "both" if len(found) > 1 else found[0] if found else "none",
        "designs": _designs([sentence for turn in found for sentence in claims[turn]]),
        "impact": _impact(texts[found[-1]]) if found else "unsaid",
    }
    return say(json.dumps(annotation))


def _claims(text: str, described: set[str], share: float) -> list[str]:
    """The sentences of a message that speak of what the description speaks of."""
    sentences = _SENTENCE_END.split(text)
    shared = [(sentence, _stems(sentence), _stems(sentence) & described) for sentence in sentences]
    return [sentence for sentence, all_, both in shared if len(both) >= max(FEWEST, share * len(all_))]


def _stems(text: str) -> set[str]:
    return {word[:STEM] for word in _WORD.findall(text.lower()) if word not in _STOP}


def _designs(sentences: list[str]) -> list[str]:
    """The labels that these sentences name."""
    return sorted({label for s in sentences for label in re.findall(r"\b(?:candidate|design)s? ([A-D])\b", s)})


def _impact(text: str) -> str:
    decision = re.search(r'"decision": ?"(follow|reconsider)"', text)
    return {"follow": "keeps", "reconsider": "changes"}[decision[1]] if decision else "unsaid"
