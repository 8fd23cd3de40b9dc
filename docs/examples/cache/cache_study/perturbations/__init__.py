"""What can be wrong with the simulator: two diffs of one line each."""

from proctor.siris.problems.catalogue import Catalogue, Change

CATALOGUE = Catalogue(
    "cache_study.simulator",
    __name__,
    {
        "read_cap": Change(
            "eviction",
            "value",
            "a read is charged for at most 64 KiB of transfer,\nso that large objects seem cheap to fetch again",
        ),
        "write_transfer": Change(
            "eviction",
            "omission",
            "a write is charged for the access alone,\nso that it seems not to matter how much is written back",
        ),
    },
)
