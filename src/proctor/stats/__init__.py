"""Statistics as pure functions over arrays. Every result names its unit of analysis. Imports nothing else of ours."""

from proctor.stats.agreement import cohens_kappa
from proctor.stats.bootstrap import DRAWS, cluster_bootstrap, percentile_bounds, resample_counts
from proctor.stats.intervals import Interval, wilson
from proctor.stats.paired import PairedTest, holm, mcnemar_exact, sign_flips
from proctor.stats.power import paired_proportions, power, resampled
from proctor.stats.proportions import Contrast, cluster_contrasts

__all__ = [
    "DRAWS",
    "Contrast",
    "Interval",
    "PairedTest",
    "cluster_bootstrap",
    "cluster_contrasts",
    "cohens_kappa",
    "holm",
    "mcnemar_exact",
    "paired_proportions",
    "percentile_bounds",
    "power",
    "resample_counts",
    "resampled",
    "sign_flips",
    "wilson",
]
