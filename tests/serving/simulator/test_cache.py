"""The block pool: what is kept, what is found again, and what goes first."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from proctor.serving.simulator.cache import BlockPool, blocks_for


def fill(pool, *keys):
    """Blocks that hold the given contents."""
    blocks = [pool.take() for _ in keys]
    for block, key in zip(blocks, keys, strict=True):
        pool.publish(block, key)
    return blocks


@pytest.mark.parametrize(("tokens", "blocks"), [(0, 0), (1, 1), (15, 1), (16, 1), (17, 2), (32, 2), (33, 3)])
def test_a_block_holds_16_tokens(tokens, blocks):
    """A part of a block takes a whole one."""
    assert blocks_for(tokens) == blocks


def test_blocks_never_used_are_taken_before_content_is_lost():
    """A freed block keeps its content as long as there is other memory."""
    pool = BlockPool(3)
    pool.release(fill(pool, 10, 11))
    pool.take()
    assert pool.match([10, 11]) == 2
    pool.take()
    assert pool.match([10, 11]) == 1


def test_the_tail_of_a_sequence_is_lost_first():
    """So that the beginning, which others may share, lives longest."""
    pool = BlockPool(3)
    pool.release(fill(pool, 10, 11, 12))
    left = []
    for _ in range(3):
        pool.take()
        left.append(pool.match([10, 11, 12]))
    assert left == [2, 1, 0]


def test_the_sequence_that_is_idle_for_longest_is_lost_first():
    """Least recently released, whole sequence after whole sequence."""
    pool = BlockPool(4)
    first, second = fill(pool, 10, 11), fill(pool, 20, 21)
    pool.release(second)
    pool.release(first)
    pool.take()
    assert (pool.match([20, 21]), pool.match([10, 11])) == (1, 2)
    pool.take()
    pool.take()
    assert (pool.match([20, 21]), pool.match([10, 11])) == (0, 1)


def test_use_makes_an_idle_block_young_again():
    """A hit takes it out of the queue of victims; afterwards it joins at the end."""
    pool = BlockPool(2)
    first, second = fill(pool, 10), fill(pool, 20)
    pool.release(first)
    pool.release(second)
    pool.share(pool.find([10]))
    assert pool.room() == 1
    pool.release(first)
    pool.take()
    assert (pool.match([10]), pool.match([20])) == (1, 0)


def test_a_shared_block_is_held_until_its_last_user_leaves():
    """Two users, one block."""
    pool = BlockPool(1)
    blocks = fill(pool, 10)
    pool.share(blocks)
    pool.release(blocks)
    assert pool.room() == 0
    pool.release(blocks)
    assert pool.room() == 1


def test_a_content_held_twice_is_found_until_both_copies_are_gone():
    """Of several copies the one published first is used."""
    pool = BlockPool(2)
    first, second = fill(pool, 10), fill(pool, 10)
    assert pool.find([10]) == first
    pool.release(first)
    pool.release(second)
    pool.take()
    assert (pool.match([10]), pool.find([10])) == (1, second)
    pool.take()
    assert pool.match([10]) == 0


def test_a_chain_is_found_only_up_to_its_first_gap():
    """Later blocks are of no use without the earlier ones."""
    pool = BlockPool(3)
    fill(pool, 10, 12)
    assert pool.match([10, 11, 12]) == 1
    assert pool.match([]) == 0


class Pool(RuleBasedStateMachine):
    """Any sequence of takes, hits and releases, beside a plain list of (block, content, users) in order of release."""

    @initialize(capacity=st.integers(1, 12))
    def start(self, capacity):
        self.pool = BlockPool(capacity)
        self.contents: dict[int, int | None] = {}
        self.users: Counter[int] = Counter()
        self.released: list[int] = []  # idle blocks, longest idle first
        self.sequences: list[list[int]] = []

    def room(self):
        return self.pool.capacity - sum(1 for block in self.contents if self.users[block])

    @precondition(lambda self: self.room() > 0)
    @rule(data=st.data())
    def compute(self, data):
        """A sequence takes new blocks, and the leading ones become findable."""
        count = data.draw(st.integers(1, self.room()))
        never_used = self.pool.capacity - len(self.contents)
        victims = self.released[: max(0, count - never_used)]
        lost = [self.contents[block] for block in victims if self.contents[block] is not None]
        assert self.pool.next_taken(count) == lost
        blocks = [self.pool.take() for _ in range(count)]
        assert blocks[-len(victims) :] == victims or not victims
        self.released = [block for block in self.released if block not in victims]
        self.contents |= dict.fromkeys(blocks)
        self.users.update(blocks)
        for block in blocks[: data.draw(st.integers(0, count))]:
            self.contents[block] = data.draw(st.integers(0, 5))
            self.pool.publish(block, self.contents[block])
        self.sequences.append(blocks)

    @rule(keys=st.lists(st.integers(0, 5), max_size=4, unique=True))
    def hit(self, keys):
        """A sequence shares what is found."""
        found = self.pool.match(keys)
        present = [key in self.contents.values() for key in keys]
        assert found == (present.index(False) if False in present else len(keys))
        blocks = self.pool.find(keys[:found])
        assert [self.contents[block] for block in blocks] == keys[:found]
        self.pool.share(blocks)
        self.users.update(blocks)
        self.released = [block for block in self.released if block not in blocks]
        self.sequences.append(blocks)

    @precondition(lambda self: self.sequences)
    @rule(data=st.data())
    def leave(self, data):
        """A sequence gives its blocks back."""
        blocks = self.sequences.pop(data.draw(st.integers(0, len(self.sequences) - 1)))
        self.pool.release(blocks)
        self.users.subtract(blocks)
        self.released += [block for block in reversed(blocks) if not self.users[block]]

    @invariant()
    def memory_is_conserved(self):
        """Taken and free blocks make up the capacity; no count is negative; idle blocks are those without users."""
        pool = self.pool
        assert pool.room() == self.room()
        assert pool.users == [self.users[block] for block in range(len(pool.users))]
        assert min(pool.users, default=0) >= 0
        assert list(pool.idle) == self.released
        assert len(pool.users) == len(self.contents) <= pool.capacity

    @invariant()
    def contents_are_found_by_key(self):
        """Holders and keys say the same."""
        by_key = {}
        for block, key in self.contents.items():
            if key is not None:
                by_key.setdefault(key, set()).add(block)
        assert {key: set(blocks) for key, blocks in self.pool.holders.items()} == by_key
        assert [self.contents[block] for block in range(len(self.pool.keys))] == self.pool.keys


Pool.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestPool = Pool.TestCase
