"""Reading text files with one-line errors; writing files and directories whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from verimv.errors import InputError


def read_text(path: str | os.PathLike[str]) -> str:
    """The UTF-8 text of a file."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})", source=str(path)) from None
    except OSError as error:
        raise InputError(_reason(error), source=str(path)) from None


def write_file(path: str | os.PathLike[str], pieces: Iterable[str]) -> None:
    """Replace a file at once: a reader sees the old text or the new one."""
    target = Path(path)
    with _errors_name(target):
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            _write(handle, pieces)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise


def write_directory(path: str | os.PathLike[str], files: Mapping[str, Iterable[str]], owned: Collection[str]) -> None:
    """Create a directory with these files, or replace one that holds nothing but `owned` names, at once."""
    target = Path(os.path.abspath(path))
    with _errors_name(Path(path)):
        if target.exists():
            if not target.is_dir():
                raise InputError("exists and is not a directory", source=str(path))
            foreign = sorted(entry.name for entry in target.iterdir() if entry.name not in owned)
            if foreign:
                raise InputError(f"holds other files ({foreign[0]}); choose a new or empty directory", source=str(path))
            if not os.access(target, os.W_OK):
                raise InputError("permission denied", source=str(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        try:
            for name, pieces in files.items():
                _write(os.open(fresh / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), pieces)
            os.chmod(fresh, 0o777 & ~_umask())
            _swap_in(fresh, target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def _swap_in(fresh: Path, target: Path) -> None:
    """Put `fresh` in the place of `target`; whatever stood there is moved to `fresh`'s name first."""
    if not target.exists():
        os.rename(fresh, target)
        return
    old = fresh.with_name(f"{fresh.name}.old")
    os.rename(target, old)
    try:
        os.rename(fresh, target)
    except BaseException:
        os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _write(handle: int, pieces: Iterable[str]) -> None:
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)
        file.flush()
        os.fsync(file.fileno())


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


@contextmanager
def _errors_name(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write: {_reason(error)}", source=str(path)) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
