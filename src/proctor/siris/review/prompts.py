"""What a model is asked in the two turns (after the paper's sections 3.2, B.2, B.3 and B.5, in words of our own).

The first turn says nothing of limitations or of a review. The review adds no evidence and gives no feedback.
"""

from __future__ import annotations

from dataclasses import dataclass

from proctor.errors import InputError, nearest
from proctor.siris.review.packet import Condition, Packet, Part

PROMPTS = ("standard", "instructed", "comparison")

_FIRST = """\
{question}
{evidence}
The files of this problem are listed below. You can list, read and search them. They cannot be changed,
and nothing can be executed.

{files}
{instruction}
Recommend one candidate and give a short rationale. Read whatever you need first. Then close with a
message that calls no tool and ends with one JSON object of this form:

{answer}
"""

_EVIDENCE: dict[Part, str] = {
    "code": "`simulator/` is the source of a simulator of this system.",
    "parameters": "`cost-parameters/` holds the costs that it evaluates.",
    "configuration": "`configuration.json` is the system that it models.",
    "predictions": "`prediction.json` holds what is predicted for each candidate.",
    "records": "`execution-records/` holds what happened in the simulated run of each candidate.",
}

_INSTRUCTED = """
Before you recommend a candidate, read the source of the simulator that produced `prediction.json`, and
check whether it models the system that `system-description.md` describes.
"""

_REVIEW = """\
Now review the choice you made. The files are the same as before, and nothing has been added to them. You
can go on reading and searching, also in files that you have not opened yet.
{task}{guidance}
Close with a message that calls no tool and ends with one JSON object of this form:

{answer}
"""

_TASK_SIMULATOR = """
Decide whether to follow the evidence of the simulator or to reconsider it, and give your reason where you
depart from it. Name the one modeling limitation, if there is any, that you judge consequential for this
decision.
"""

_TASK_PREDICTIONS = """
Check your recommendation against these files. Decide whether to follow the predictions or to reconsider
them, and give your reason where you depart from them. Name the one modeling limitation, if there is any,
that you judge consequential for this decision.
"""

_COMPARISON = """
If you find that there is a modeling limitation, work out before you settle on the final candidate whether
it acts on all candidates alike or on some more than on others, and whether the evidence shows that it
undoes the lead of the candidate that is ahead now. That a limitation exists is by itself a reason neither
to drop the recommendation nor to keep it.
"""

_DECISION = ' "decision": "<follow or reconsider>", "limitation": "<the consequential modeling limitation, or none>",'
_ANSWER = (
    '{{"choice": "<one of {labels}>",{decision} "rationale": "<two or three sentences>", '
    '"confidence": <0 to 100, may be left out>}}'
)


@dataclass(frozen=True)
class Script:
    """The two messages of a conversation."""

    first_turn: str
    review_turn: str


def check_prompt(prompt: str, condition_name: str, condition: Condition) -> None:
    """Raises InputError for an unknown prompt or one that speaks of evidence that the condition does not show."""
    if prompt not in PROMPTS:
        raise InputError(f"unknown prompt {prompt!r}: {nearest(prompt, PROMPTS)}")
    complete = condition.shows("code") and condition.shows("predictions") and condition.shows("records")
    if prompt != "standard" and not complete:
        raise InputError(
            f"prompt {prompt!r} needs all simulator evidence, which condition {condition_name!r} does not show: "
            "use it with condition perturbed or reference"
        )


def write_script(question: str, packet: Packet, condition: Condition, prompt: str = "standard") -> Script:
    """Both messages for one packet. `question` names the candidates and the metric."""
    labels = ", ".join(packet.labels)
    evidence = " ".join(text for part, text in _EVIDENCE.items() if _shows(packet, condition, part))
    first = _FIRST.format(
        question=question.strip(),
        evidence=f"\n{evidence}\n" if evidence else "",
        files="\n".join(packet.files),
        instruction=_INSTRUCTED if prompt == "instructed" else "",
        answer=_ANSWER.format(labels=labels, decision=""),
    )
    review = _REVIEW.format(
        task=_task(condition),
        guidance=_COMPARISON if prompt == "comparison" else "",
        answer=_ANSWER.format(labels=labels, decision=_DECISION if condition.parts else ""),
    )
    return Script(first, review)


def _shows(packet: Packet, condition: Condition, part: Part) -> bool:
    """Whether there is something to describe: a simulator may have neither cost parameters nor records."""
    path = _EVIDENCE[part].split("`")[1]
    return condition.shows(part) and any(file.startswith(path) for file in packet.files)


def _task(condition: Condition) -> str:
    if not condition.parts:
        return ""
    return _TASK_SIMULATOR if condition.shows("code") else _TASK_PREDICTIONS
