"""Whatever is changed in certified files: the kernel refuses it, or the statement is still true."""

import gzip
import random
from collections import Counter

import pytest

from tests.certificate.by_verdict.make import VALID
from tests.certificate.judged import rejected
from tests.certificate.tamper import Bundle, random_bundles, tamper
from tests.effort import scaled
from verimv import kernel
from verimv.kernels.verdicts import rejection

TRUE = "valid, about other files, and true"
#: For the solver; where it gives up, linear regions decide.
SECONDS = 10


def bundles(count: int, seed: int) -> list[Bundle]:
    """The hand-made valid cases, and certificates of random networks."""
    hand_made = [Bundle(dict(case.subjects), tuple(case.lines)) for case in VALID.values() if not case.pack]
    return hand_made + random_bundles(count - len(hand_made), seed)


def tampered_verdicts(count: int, of: int, seed: int) -> Counter:
    source = random.Random(seed)
    originals = bundles(of, seed)
    assert all(original.verdict() == "valid" for original in originals)
    verdicts: Counter = Counter()
    for number in range(count):
        original = originals[number % len(originals)]
        mutant = tamper(original, source)
        if mutant == original:
            verdicts["unchanged"] += 1
            continue
        verdict = mutant.verdict()
        changed = mutant.subjects != original.subjects or mutant.maps() != original.maps()
        if verdict == "valid" and changed:
            truth = mutant.truth(SECONDS)
            assert truth == "proved", f"wrongly accepted ({truth}): {mutant}"
            verdict = TRUE
        verdicts[verdict] += 1
    return verdicts


def test_tampering():
    verdicts = tampered_verdicts(800, 30, seed=1)
    assert verdicts["invalid"] > 250
    assert verdicts["malformed"] > 25
    assert verdicts[TRUE] > 0, "the tester can tell"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(11, 11 + scaled(4)))
def test_tampering_at_length(seed):
    verdicts = tampered_verdicts(1_000, 50, seed)
    print(dict(verdicts))
    assert sum(verdicts.values()) - verdicts["unchanged"] >= 800


def test_the_tester_would_notice(monkeypatch):
    """With a side condition switched off, tampering finds a wrong acceptance."""
    monkeypatch.setattr(kernel.Checker, "need_at_least", lambda *arguments: None)

    def tamper_until_noticed():
        for seed in range(9, 40):  # the first of these finds one, or another after a change of the cases
            tampered_verdicts(600, 30, seed)

    with pytest.raises(AssertionError, match=r"wrongly accepted \(refuted\)"):
        tamper_until_noticed()


def test_changes_that_are_not_signed_are_refused():
    source = random.Random(4)
    for original in bundles(25, 4):
        mutant = tamper(original, source)
        if mutant.subjects != original.subjects:
            assert rejected(original.text(), mutant.subjects).status == "invalid"


def test_gzip_cut_off_anywhere(tmp_path):
    (original,) = random_bundles(1, 5)
    for name, text in original.subjects.items():
        (tmp_path / kernel.FILES[name]).write_text(text, encoding="utf-8")
    data = gzip.compress(original.text().encode(), mtime=0)
    path = tmp_path / "certificate.jsonl.gz"
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        assert rejection(lambda: kernel.check(str(tmp_path), {})).status == "malformed", length
    path.write_bytes(data)
    assert rejection(lambda: kernel.check(str(tmp_path), {})) is None
