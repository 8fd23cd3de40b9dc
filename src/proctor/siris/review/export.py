"""Problems as folders with their prompts, for agents outside Inspect, without what only the evaluator knows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from proctor.errors import InputError
from proctor.siris.problems.freeze import refuse_used_folder
from proctor.siris.problems.suites import Suite
from proctor.siris.review.briefs import Brief, briefs

FILE_TIME = 1_767_225_600  # 2026-01-01: one time for all files, so that none tells when or in which order it was made

_README = """\
# Design review: {count} problems

Each folder is one problem. An agent answers it in one conversation of two turns:

1. Give the agent the folder `packet/` to read, and the text of `first-turn.md` as its task. It may list, read and
   search the files. It must not run or change them, and must not see anything else, neither the network nor another
   problem's folder.
2. Keep its closing message. In the same conversation, send the text of `review-turn.md`. Keep its closing message.

Write one line of JSON per conversation to a file `answers.jsonl`:

    {{"problem": "{example}", "initial": "...", "final": "...", "model": "my-agent", "condition": "{condition}",{prompt}
     "repetition": 1}}

(on one line). `initial` and `final` are the closing messages as the agent wrote them, or just the label, or null where
there was none; a message that names no candidate counts as wrong. Ask every problem; several times if you like, with
repetition 1, 2, 3. Then

    proctor siris score answers.jsonl --suite {suite}
"""


def export(suite: Suite, suite_argument: str, condition: str, prompt: str, out: Path) -> Iterator[str]:
    """Write all problems below `out`; yields each problem's id when its folder is complete.

    `suite_argument` is how the user named the suite, for the command in the README. Raises InputError where `out` holds
    anything already, or cannot be written.
    """
    refuse_used_folder(out)
    asked = briefs(suite, condition, prompt)
    try:
        for name, brief in asked.items():
            _write(out / name, _files(brief))
            yield name
        readme = _README.format(
            count=len(asked),
            example=next(iter(asked)),
            condition=condition,
            prompt="" if prompt == "standard" else f' "prompt": "{prompt}",',
            suite=suite_argument,
        )
        _write(out, {"README.md": readme})
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror}); give another folder") from error


def _files(brief: Brief) -> dict[str, str]:
    packet = {f"packet/{path}": text for path, text in brief.packet.files.items()}
    return {"first-turn.md": brief.script.first_turn, "review-turn.md": brief.script.review_turn, **packet}


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        os.utime(file, (FILE_TIME, FILE_TIME))
    for inner in sorted({(folder / path).parent for path in files}, reverse=True):
        os.utime(inner, (FILE_TIME, FILE_TIME))
