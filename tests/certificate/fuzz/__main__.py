"""`python -m tests.certificate.fuzz --sequences N --seed S [--kernel both] [--keep DIR]`: look for lines that are false."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.certificate.fuzz.both import disagreements
from tests.certificate.fuzz.campaign import Tally, tallies
from tests.certificate.fuzz.sequence import Certificate, Outcome, run_any


def show(outcome: Outcome, certificate: Certificate, what: str, keep: Path | None) -> None:
    """What is wrong, and a directory with the certificate that shows it."""
    print(f"seed {outcome.seed}, {outcome.kind}: {what}")
    for number, line in enumerate(certificate.lines, start=2):
        print(f"  {number}: {line}")
    if keep:
        directory = keep / f"seed-{outcome.seed}"
        certificate.write(directory)
        print(f"  written to {directory}")


def compare(first: int, count: int, keep: Path | None) -> tuple[Tally, int]:
    """The same with both kernels, in this process: most of the time is spent outside."""
    total, wrong = Tally(), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            outcome = run_any(seed)
            total.add(outcome)
            for certificate, what in disagreements(outcome, Path(folder)):
                show(outcome, certificate, what, keep)
                wrong += 1
            if (seed - first) % 1000 == 999:
                print(f"{seed - first + 1} sequences, {wrong} disagreements", flush=True)
    return total, wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.certificate.fuzz", description="Look for false lines.")
    parser.add_argument("--sequences", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0, help="of the first sequence; the others follow")
    parser.add_argument(
        "--kernel", choices=["python", "both"], default="python", help="both: compare the verdicts, too"
    )
    parser.add_argument("--keep", type=Path, help="a directory for certificates that show a fault")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    start, wrong, total = time.monotonic(), 0, Tally()
    if options.kernel == "both":
        total, wrong = compare(options.seed, options.sequences, options.keep)
    else:
        for k, part in enumerate(tallies(options.seed, options.sequences, options.workers), start=1):
            total.merge(part)
            if k % 8 == 0:
                print(f"{sum(total.sequences.values())} sequences, {len(total.faults)} faults", flush=True)
    for outcome in total.faults:
        where = f"line {outcome.fault.line}: " if outcome.fault.line else ""
        show(outcome, outcome.certificates[-1], f"{where}{outcome.fault}", options.keep)
    print(total)
    print(f"  {time.monotonic() - start:.0f} seconds, {wrong} disagreements")
    return 1 if total.faults or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
