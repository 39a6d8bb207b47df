"""What the kernel says of a certificate, as an error of verimv's. Loads the kernel, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verimv import kernel
from verimv.errors import IncompleteCertificate, InputError, InvalidCertificate

CERTIFICATE_FILES = ("certificate.jsonl", "certificate.jsonl.gz")


def check_files(path: str | os.PathLike[str], **files: str | None) -> None:
    """Check a directory that verimv wrote, or a certificate with `network=`, `formula=`, … that it is about."""
    rejected = rejection(lambda: kernel.check(os.fspath(path), files))
    if rejected is not None:
        raise as_error(rejected, os.fspath(path))


@dataclass(frozen=True)
class Ranges:
    """What a certificate without a formula says: an interval for each output, or for its difference in two networks."""

    of_a_difference: bool
    ends: dict[str, tuple[str, str]]

    def __str__(self) -> str:
        what = "{0} − {0} of the other" if self.of_a_difference else "{0}"
        return "; ".join(f"{low} ≤ {what.format(name)} ≤ {high}" for name, (low, high) in self.ends.items())


def proved_ranges(path: str, files: Mapping[str, str | None]) -> Ranges | None:
    """What a valid certificate says, unless it is about a formula: the files say that."""
    inside = next(filter(Path.exists, (Path(path, name) for name in CERTIFICATE_FILES)), Path(path))
    lines = (line for _, line in kernel.lines_of(inside))
    header = next(lines)
    if "formula_sha256" in header:
        return None
    subjects = [name for name in ("network", "other") if f"{name}_sha256" in header]
    texts = (Path(files.get(name) or Path(path, kernel.FILES[name])).read_bytes() for name in subjects)
    networks = [json.loads(text) for text in texts]
    is_pair = len(networks) > 1
    last = sum(len(network["layers"]) for network in networks) + is_pair
    activation: Callable[[Any], Any] = kernel.ACTIVATIONS[
        "identity" if is_pair else networks[0]["layers"][-1]["activation"]
    ]
    bounds = {(line[2], line[3]): line[4] for line in lines if line[0] == "bound" and line[1] == last}

    def end(k: int, side: str) -> str:
        value = kernel.number(bounds[k, side])
        return bounds[k, side] if activation(value) == value else str(activation(value))

    return Ranges(is_pair, {name: (end(k, "low"), end(k, "high")) for k, name in enumerate(networks[0]["outputs"])})


def rejection(check: Callable[[], None]) -> kernel.Rejected | None:
    """What the kernel says against a certificate."""
    try:
        check()
    except kernel.Rejected as rejected:
        return rejected
    except OSError as error:
        got = f"{error.filename}: {(error.strerror or str(error)).lower()}"
        return kernel.Rejected("malformed", "readable files", got)
    return None


def as_error(rejected: kernel.Rejected, source: str | None = None) -> Exception:
    if rejected.status == "malformed":
        return InputError(str(rejected), source=source)
    error = IncompleteCertificate if rejected.status == "incomplete" else InvalidCertificate
    return error(str(rejected))
