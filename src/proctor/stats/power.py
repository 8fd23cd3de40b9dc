"""How likely a planned study is to see a difference, by simulating the study and its test."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import stats

from proctor.stats.bootstrap import FloatArray
from proctor.stats.intervals import Interval, wilson
from proctor.stats.paired import flip_p_values, random_flip_p_values

Study = Callable[[np.random.Generator, int, int], FloatArray]
"""(generator, studies, clusters) -> paired differences of shape (studies, clusters)."""


def resampled(differences: npt.ArrayLike) -> Study:
    """Plan from a pilot: clusters of the planned study are drawn with replacement from the pilot's differences."""
    pilot = np.asarray(differences, dtype=np.float64)
    if pilot.ndim != 1 or pilot.size == 0 or not np.isfinite(pilot).all():
        raise ValueError("expected a finite difference for each of the pilot's clusters")
    return lambda rng, studies, clusters: rng.choice(pilot, size=(studies, clusters))


def paired_proportions(
    first: float, second: float, *, trials: int, within: float, between: float = 0.0, questions: int = 1
) -> Study:
    """Plan from assumptions: two arms answer each of a cluster's questions `trials` times, with success rates `first`
    and `second`.

    A question's own rate in an arm is beta distributed with intra-question correlation `within` (variance
    within * p * (1 - p)); the two arms' rates share a Gaussian copula with correlation `between`, because a question
    that is hard for one is hard for the other. Questions of a cluster are independent given the arms' rates. The
    difference is second minus first, the mean over the cluster's questions.
    """
    if not (0 <= first <= 1 and 0 <= second <= 1 and 0 <= within < 1 and -1 <= between <= 1):
        raise ValueError("rates lie in [0, 1], within in [0, 1) and between in [-1, 1]")
    if trials < 1 or questions < 1:
        raise ValueError("a cluster has at least one question and each at least one trial")

    def draw(rng: np.random.Generator, studies: int, clusters: int) -> FloatArray:
        noise = rng.standard_normal((2, studies, clusters, questions))
        latent = (noise[0], between * noise[0] + np.sqrt(1 - between**2) * noise[1])
        rates = [_beta_rates(p, within, z) for p, z in zip((first, second), latent, strict=True)]
        wins = [rng.binomial(trials, rate) for rate in rates]
        return np.asarray(((wins[1] - wins[0]) / trials).mean(axis=-1), dtype=np.float64)

    return draw


def _beta_rates(p: float, within: float, latent: FloatArray) -> FloatArray:
    if within == 0 or p in (0.0, 1.0):
        return np.full_like(latent, p)
    size = (1 - within) / within
    return np.asarray(stats.beta.ppf(stats.norm.cdf(latent), p * size, (1 - p) * size))


def power(
    study: Study,
    clusters: int,
    *,
    unit: str,
    rng: np.random.Generator,
    alpha: float = 0.05,
    studies: int = 1000,
    draws: int = 1000,
) -> Interval:
    """Share of simulated studies of `clusters` clusters whose sign-flip test gives p <= alpha.

    The interval is Wilson's over the simulated studies (simulation error only). For a Holm-corrected family of m tests
    pass alpha / m: the correction's first, hardest step. Under no difference this is the test's true size.
    """
    if clusters < 1 or studies < 1 or not 0 < alpha < 1:
        raise ValueError("clusters and studies are at least 1 and alpha lies between 0 and 1")
    differences = study(rng, studies, clusters)
    # As in `sign_flips`, all flips are counted where there are few.
    p_values = flip_p_values(differences) if 2**clusters <= draws else random_flip_p_values(differences, rng, draws)
    return wilson(int((p_values <= alpha).sum()), studies, unit=f"simulated study of {clusters} {unit}s")
