"""Step costs looked up in a measured LLMServingSim profile bundle: the accurate, slower sibling of `CostTable`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from proctor.errors import InputError
from proctor.serving.importers.attention import AttentionGrid
from proctor.serving.importers.bundle import Bundle, open_bundle
from proctor.serving.importers.collectives import Link, all_gather_ns, all_reduce_ns, reduce_scatter_ns
from proctor.serving.importers.interpolate import Line, whole_ns
from proctor.serving.importers.models import BYTES, REDUCED, Model, check_expert_parallelism, known_model
from proctor.serving.importers.moe import MoeGrid, share
from proctor.serving.importers.reading import is_file
from proctor.serving.importers.skew import Skew


class LookupCosts:
    """Cost of a step as the sum of the measured times of every layer it runs.

    `tp` GPUs share each layer and `ep` GPUs share the experts (`ep` > 1 adds the exchange of tokens around each expert
    layer); `link` joins them.
    """

    def __init__(self, bundle: Bundle, model: Model, tp: int = 1, ep: int = 1, link: Link | None = None) -> None:
        self.bundle, self.model, self.tp, self.ep, self.link = bundle, model, tp, ep, link or Link()
        self.grid = AttentionGrid(bundle.attention(tp))
        self._skew = Skew(bundle, tp)
        self._dense = _with_stable(bundle.dense, "dense.csv", bundle, model, tp)
        self._heads = _with_stable(bundle.per_sequence, "per_sequence.csv", bundle, model, tp)
        self._moe = MoeGrid(bundle.moe()) if model.architecture.moe else None
        self._check_layers()
        self.linear_ns: Callable[[int], int] = lru_cache(maxsize=None)(self._linear_ns)
        self.head_ns: Callable[[int], int] = lru_cache(maxsize=None)(self._head_ns)

    def step(self, batch: Sequence[tuple[int, int]]) -> int:
        """ns of a step over `batch`, pairs of (query tokens, cached tokens). One query token is a decode."""
        return self.padded(batch, sum(query for query, _ in batch))

    def padded(self, batch: Sequence[tuple[int, int]], tokens: int) -> int:
        """The same, with every layer but attention and head run for `tokens` tokens: a member of a lock-step group."""
        return self.linear_ns(tokens) + self.head_ns(len(batch)) + self.model.layers * self.attention_ns(batch)

    def attention_ns(self, batch: Sequence[tuple[int, int]]) -> int:
        """ns of one layer's attention kernel."""
        prefill = kv_prefill = 0
        decodes = [cached for query, cached in batch if query == 1]
        if len(decodes) < len(batch):
            prefill = sum(query for query, _ in batch) - len(decodes)
            kv_prefill = sum(cached for query, cached in batch if query != 1)
        if not decodes:
            return self.grid.at(prefill, kv_prefill, 0, 0)
        mean, most = sum(decodes) // len(decodes), max(decodes)
        even = self.grid.at(prefill, kv_prefill, len(decodes), mean)
        if most == mean or len(decodes) == 1 or not self._skew.enabled:
            return even
        alpha = self._skew.alpha(prefill, kv_prefill, len(decodes), min(decodes), mean, most)
        longest = self.grid.at(prefill, kv_prefill, len(decodes), most)
        return max(1, round(even + alpha * max(0, longest - even)))

    def _linear_ns(self, tokens: int) -> int:
        shape = self.model.architecture
        once = sum(whole_ns(self._dense[name].at(tokens)) for name in (*shape.prologue, *shape.head_tokens))
        block = sum(whole_ns(self._dense[name].at(tokens)) for name in shape.block)
        reduced = sum(name in REDUCED for name in shape.block)
        block += reduced * all_reduce_ns(self.tp, tokens * self.model.hidden * BYTES, self.link)
        return once + self.model.layers * (block + self._moe_ns(tokens))

    def _moe_ns(self, tokens: int) -> int:
        if self._moe is None:
            return 0
        row = self.model.hidden * BYTES
        routed = row + self.model.experts * BYTES
        gather = all_gather_ns(self.ep, max(1, tokens // self.ep) * routed, self.link)
        scatter = reduce_scatter_ns(self.ep, tokens * row, self.link)
        return gather + self._moe.at(*share(self.model, tokens, self.ep)) + scatter

    def _head_ns(self, requests: int) -> int:
        return sum(whole_ns(self._heads[name].at(requests)) for name in self.model.architecture.head)

    def _check_layers(self) -> None:
        shape = self.model.architecture
        for names, table, held in (
            ((*shape.prologue, *shape.block, *shape.head_tokens), "dense.csv", self._dense),
            (shape.head, "per_sequence.csv", self._heads),
        ):
            missing = sorted({name for name in names if name not in held})
            if missing:
                path = self.bundle.path / f"tp{self.tp}" / table
                raise InputError(f"{path}: layer {', '.join(missing)} of {self.model.name} was not profiled")


def lookup_costs(
    path: Path, model: Model | None = None, tp: int = 1, ep: int = 1, link: Link | None = None
) -> LookupCosts:
    """Costs from the bundle folder `path`; the model is the one named in its `meta.yaml` unless given.

    Raises InputError for a bundle that is not valid, and for more GPUs that share experts than there are experts.
    """
    bundle = open_bundle(path)
    model = model or known_model(bundle.meta.model)
    check_expert_parallelism(model.name, model.experts if model.architecture.moe else 1, ep)
    return LookupCosts(bundle, model, tp, ep, link)


def _with_stable(
    read: Callable[[int], dict[str, Line]], table: str, bundle: Bundle, model: Model, tp: int
) -> dict[str, Line]:
    """Layers of degree `tp`; those whose cost does not depend on it come from degree 1 where that was profiled."""
    lines = read(tp)
    if tp == 1 or not is_file(bundle.path / "tp1" / table):
        return lines
    single = read(1)
    return lines | {name: single[name] for name in model.architecture.stable if name in single}
