"""Requests, and the keys under which the blocks of a request can be shared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .cache import BLOCK

Segments = Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Two sequences agree up to a block exactly where they have the same key for that block."""

    id: str
    arrival_ns: int
    prompt_tokens: int
    output_tokens: int
    keys: tuple[int, ...]  # one per full block of prompt and output
    prefix: str  # name of the first segment
    replica: int | None = None  # where it goes, if no policy decides
    measured: bool = True
    handoff: bool = False  # after its prefill, a policy decides where it decodes


class KeyMaker:
    """Gives equal beginnings of token sequences equal chains of keys."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, Any], int] = {}

    def chain(self, contents: Iterable[Any]) -> tuple[int, ...]:
        """One key per block, given the contents of the blocks in order."""
        keys = []
        parent = -1
        for content in contents:
            parent = self.known.setdefault((parent, content), len(self.known))
            keys.append(parent)
        return tuple(keys)


def block_contents(segments: Segments) -> Iterable[tuple[tuple[str, int, int], ...]]:
    """The full blocks of a sequence, each as pieces (segment name, first token, last token + 1)."""
    pieces: list[tuple[str, int, int]] = []
    space = BLOCK
    for name, tokens in segments:
        start = 0
        while start < tokens:
            stop = min(tokens, start + space)
            pieces.append((name, start, stop))
            space -= stop - start
            start = stop
            if space == 0:
                yield tuple(pieces)
                pieces, space = [], BLOCK


def from_rows(rows: Sequence[Mapping[str, Any]]) -> tuple[Request, ...]:
    """Requests from the rows of a workload file; the output of a request is a segment of its own."""
    maker = KeyMaker()
    requests = []
    for row in rows:
        prompt = [(name, tokens) for name, tokens in row["prompt"]]
        output = (f"output of {row['id']}", row["output_tokens"])
        requests.append(
            Request(
                id=row["id"],
                arrival_ns=row["arrival_ns"],
                prompt_tokens=sum(tokens for _, tokens in prompt),
                output_tokens=row["output_tokens"],
                keys=maker.chain(block_contents([*prompt, output])),
                prefix=prompt[0][0],
                replica=row.get("replica"),
                measured=row.get("measured", True),
                handoff=row.get("handoff", False),
            )
        )
    return tuple(requests)
