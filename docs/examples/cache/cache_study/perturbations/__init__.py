"""What can be wrong with the simulator: two diffs of one line each."""

from proctor.siris.problems.catalogue import Catalogue, Change

CATALOGUE = Catalogue(
    "cache_study.simulator",
    __name__,
    {
        "read_cap": Change("eviction", "value", "a read is charged for at most 64 KiB of transfer"),
        "write_transfer": Change("eviction", "omission", "a write is charged for the access, not for its transfer"),
    },
)
