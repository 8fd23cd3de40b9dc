"""KV memory of one replica: a pool of blocks whose content can be found again by key."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence

BLOCK = 16


def blocks_for(tokens: int) -> int:
    """Blocks that hold the given number of tokens."""
    return -(-tokens // BLOCK)


class BlockPool:
    """Blocks are numbered. A block without users is idle: it keeps its content until it is taken for something else."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.users: list[int] = []  # by block, for the blocks touched so far
        self.keys: list[int | None] = []  # by block: the key of its content
        self.idle: OrderedDict[int, None] = OrderedDict()  # next to be taken first
        self.holders: dict[int, list[int]] = {}  # key -> blocks with that content

    def room(self) -> int:
        """Blocks that can be taken."""
        return self.capacity - len(self.users) + len(self.idle)

    def match(self, keys: Sequence[int]) -> int:
        """How many leading keys are present."""
        holders = self.holders
        for count, key in enumerate(keys):
            if key not in holders:
                return count
        return len(keys)

    def find(self, keys: Sequence[int]) -> list[int]:
        """One block for each of the given present keys."""
        return [self.holders[key][0] for key in keys]

    def share(self, blocks: Iterable[int]) -> None:
        """One more user for blocks that are present."""
        for block in blocks:
            self.idle.pop(block, None)
            self.users[block] += 1

    def take(self) -> int:
        """A block for new content: one that was never used, else the one that is idle for the longest time."""
        if len(self.users) < self.capacity:
            self.users.append(1)
            self.keys.append(None)
            return len(self.users) - 1
        block, _ = self.idle.popitem(last=False)
        self.forget(block)
        self.users[block] = 1
        return block

    def forget(self, block: int) -> None:
        key = self.keys[block]
        if key is not None:
            self.keys[block] = None
            self.holders[key].remove(block)
            if not self.holders[key]:
                del self.holders[key]

    def publish(self, block: int, key: int) -> None:
        """From now on the content of the block can be found by its key."""
        self.keys[block] = key
        self.holders.setdefault(key, []).append(block)

    def release(self, blocks: Sequence[int]) -> None:
        """One user less; the last blocks of a sequence become idle first and so are taken first."""
        for block in reversed(blocks):
            self.users[block] -= 1
            if self.users[block] == 0:
                self.idle[block] = None

    def next_taken(self, count: int) -> list[int]:
        """Keys that would be lost if that many blocks were taken now."""
        never_used = self.capacity - len(self.users)
        victims = list(self.idle)[: max(0, count - never_used)]
        return [key for block in victims if (key := self.keys[block]) is not None]
