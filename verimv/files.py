"""Reading text files with one-line errors; writing files and directories whole or not at all."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from verimv.errors import InputError

_TEMPORARY = ".verimv-"


def decode(data: bytes, source: str) -> str:
    """UTF-8 text, with or without a byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})", source=source) from None


def read_text(path: str | os.PathLike[str]) -> str:
    try:
        return decode(Path(path).read_bytes(), str(path))
    except OSError as error:
        raise InputError(_reason(error), source=str(path)) from None


def write_file(path: str | os.PathLike[str], pieces: Iterable[str] | Iterable[bytes]) -> None:
    """Replace a file at once: a reader sees the old content or the new one. Devices and pipes are written to."""
    target = Path(os.path.realpath(path))
    with _errors_name(path):
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                file.writelines(_encoded(pieces))
            return
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=_TEMPORARY)
        try:
            _write(handle, pieces)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, target)
        finally:
            Path(name).unlink(missing_ok=True)


def write_into(directory: str | os.PathLike[str], name: str, content: str | bytes) -> None:
    """One file in a directory that is made if need be."""
    with _errors_name(directory):
        Path(directory).mkdir(parents=True, exist_ok=True)
    write_file(Path(directory) / name, [content.encode() if isinstance(content, str) else content])


def append_to(path: str | os.PathLike[str], text: str) -> None:
    """Add to a file, made if need be; the text is on disk when this returns."""
    with _errors_name(path):
        _write(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666), [text])


@dataclass(frozen=True)
class Replaceable:
    """What may be replaced in an existing directory: files of these names, if `is_ours` recognises it or `force` says
    so. `advice` is for those who are refused."""

    names: Collection[str] = ()
    is_ours: Callable[[Path], bool] = lambda directory: False
    force: bool = False
    advice: str = "choose a new or empty directory"


NOTHING = Replaceable()


def check_directory(path: str | os.PathLike[str], replaceable: Replaceable) -> None:
    """Refuse, before any work is done, a place where :func:`write_directory` would have to destroy something."""
    if not os.fspath(path):
        raise InputError("expected the name of a directory, found ''")
    target = Path(os.path.realpath(path))
    with _errors_name(path):
        if not target.exists():
            return
        if not target.is_dir():
            raise InputError("exists and is not a directory", source=str(path))
        for entry in sorted(target.iterdir()):
            if entry.name in replaceable.names and not entry.is_file():
                raise InputError(f"{entry.name} is not a file; choose another directory", source=str(path))
            if entry.name not in replaceable.names and not replaceable.force:
                raise InputError(f"holds other files ({entry.name}); {replaceable.advice}", source=str(path))
        found = sorted(name for name in replaceable.names if (target / name).exists())
        if found and not replaceable.force and not replaceable.is_ours(target):
            raise InputError(f"{found[0]} there is not verimv's; {replaceable.advice}", source=str(path))
        if not os.access(target, os.W_OK):
            raise InputError("cannot write: permission denied", source=str(path))


def write_directory(
    path: str | os.PathLike[str],
    files: Mapping[str, Iterable[str] | Iterable[bytes]],
    replaceable: Replaceable = NOTHING,
) -> None:
    """Create a directory with these files, or replace the `replaceable` files of an existing one.

    Everything is written beside its place first. The last of `files` is put in place last, and the old one is removed
    first: whoever finds it finds a complete set.
    """
    check_directory(path, replaceable)
    target = Path(os.path.realpath(path))
    with _errors_name(path):
        new = not target.exists()
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=target.parent if new else target, prefix=_TEMPORARY))
        try:
            for name, pieces in files.items():
                _write(os.open(fresh / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), pieces)
            with _uninterrupted():
                if new:
                    os.chmod(fresh, 0o777 & ~_umask())
                    os.rename(fresh, target)
                else:
                    _replace(target, fresh, list(files), replaceable.names)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def _replace(target: Path, fresh: Path, names: list[str], owned: Collection[str]) -> None:
    (target / names[-1]).unlink(missing_ok=True)
    for stale in set(owned) - set(names):
        (target / stale).unlink(missing_ok=True)
    for name in names:
        os.replace(fresh / name, target / name)


def _encoded(pieces: Iterable[str] | Iterable[bytes]) -> Iterator[bytes]:
    return (piece.encode() if isinstance(piece, str) else piece for piece in pieces)


def _write(handle: int, pieces: Iterable[str] | Iterable[bytes]) -> None:
    with os.fdopen(handle, "wb") as file:
        file.writelines(_encoded(pieces))
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Signals wait until a few renames are done."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGALRM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


@contextmanager
def _errors_name(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write: {_reason(error)}", source=str(path)) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
