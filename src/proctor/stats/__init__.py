"""Statistics as pure functions over arrays. Every result names its unit of analysis. Imports nothing else of ours."""

from proctor.stats.agreement import clustered_kappa, cohens_kappa
from proctor.stats.bootstrap import DRAWS, cluster_bootstrap, percentile_bounds, resample_counts
from proctor.stats.classification import SwapTest, gaussian_kernel, held_out, swap_test
from proctor.stats.intervals import Interval, wilson
from proctor.stats.paired import PairedTest, holm, mcnemar_exact, sign_flips
from proctor.stats.power import paired_proportions, power, resampled
from proctor.stats.proportions import Contrast, cluster_contrasts

__all__ = [
    "DRAWS",
    "Contrast",
    "Interval",
    "PairedTest",
    "SwapTest",
    "cluster_bootstrap",
    "cluster_contrasts",
    "clustered_kappa",
    "cohens_kappa",
    "gaussian_kernel",
    "held_out",
    "holm",
    "mcnemar_exact",
    "paired_proportions",
    "percentile_bounds",
    "power",
    "resample_counts",
    "resampled",
    "sign_flips",
    "swap_test",
    "wilson",
]
