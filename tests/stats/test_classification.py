"""Cross-validation in one matrix equals training anew, and the permutation test counts what it says."""

from itertools import product

import numpy as np
import pytest

from proctor.stats import gaussian_kernel, held_out, swap_test


@pytest.fixture
def items():
    return np.random.default_rng(3).normal(size=(10, 4))


CLUSTERS = np.repeat(np.arange(5), 2)
LABELS = np.tile([1.0, -1.0], 5)


@pytest.mark.parametrize("kernel", [lambda x: x @ x.T, gaussian_kernel], ids=["linear", "gaussian"])
def test_held_out_scores_are_those_of_classifiers_trained_without_the_cluster(items, kernel):
    gram = kernel(items)
    scaled = gram / np.trace(gram) * len(gram)
    expected = np.empty(10)
    for cluster in range(5):
        test, train = cluster == CLUSTERS, cluster != CLUSTERS
        weights = np.linalg.solve(scaled[np.ix_(train, train)] + 0.7 * np.eye(8), LABELS[train])
        expected[test] = scaled[np.ix_(test, train)] @ weights
    assert held_out(gram, CLUSTERS, ridge=0.7) @ LABELS == pytest.approx(expected)


def test_a_gaussian_kernel_is_one_on_the_diagonal_and_falls_with_the_distance():
    kernel = gaussian_kernel(np.array([[0.0], [1.0], [3.0]]))
    assert np.diag(kernel) == pytest.approx([1, 1, 1])
    assert kernel[0, 1] == pytest.approx(np.exp(-1 / 4))  # median of the squares 1, 4 and 9
    assert kernel[0, 1] > kernel[1, 2] > kernel[0, 2]


def test_up_to_sixteen_pairs_every_swap_is_counted(items):
    scores = held_out(items @ items.T, CLUSTERS)

    def right(labels):
        return np.mean(np.sign(scores @ labels) == labels)

    all_swaps = [np.repeat(signs, 2) * LABELS for signs in product([1.0, -1.0], repeat=5)]
    expected = np.mean([right(labels) >= right(LABELS) - 1e-12 for labels in all_swaps])
    found = swap_test(scores, LABELS, CLUSTERS, rng=np.random.default_rng(0))
    assert (found.p_value, found.accuracy, found.pairs) == (expected, right(LABELS), 5)


def test_items_without_features_are_guessed_half_right():
    found = swap_test(held_out(np.zeros((10, 10)), CLUSTERS), LABELS, CLUSTERS, rng=np.random.default_rng(0))
    assert (found.accuracy, found.p_value) == (0.5, 1.0)


def test_many_pairs_are_tested_with_random_swaps_and_p_is_never_zero():
    rng = np.random.default_rng(1)
    labels, clusters = np.tile([1.0, -1.0], 30), np.repeat(np.arange(30), 2)
    clean, leaking = rng.normal(size=(60, 3)), rng.normal(size=(60, 3)) + 3 * labels[:, np.newaxis]
    p = [
        swap_test(held_out(x @ x.T, clusters), labels, clusters, rng=np.random.default_rng(0), draws=999).p_value
        for x in (clean, leaking)
    ]
    assert p[0] > 0.05
    assert p[1] == 1 / 1000


def test_random_swaps_find_a_difference_at_the_promised_rate():
    """Of 200 suites of noise, a test at 5 % rejects about 10; 22 or more have a chance below 0.1 %."""
    rng = np.random.default_rng(2)
    labels, clusters = np.tile([1.0, -1.0], 10), np.repeat(np.arange(10), 2)
    rejected = 0
    for _ in range(200):
        x = rng.normal(size=(20, 5))
        rejected += swap_test(held_out(x @ x.T, clusters), labels, clusters, rng=rng).p_value <= 0.05
    assert rejected < 22
