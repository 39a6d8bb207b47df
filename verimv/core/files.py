"""Reading text files with one-line errors; writing files and directories atomically."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from verimv.core.errors import InputError
from verimv.core.suggest import did_you_mean

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

#: Bytes are written as they are: Windows changes ends of lines otherwise.
_WRITE = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
_TEMPORARY = ".verimv-"
#: Names that tempfile makes with this prefix.
_TEMPORARY_NAME = re.compile(r"\.verimv-[a-z0-9_]{8}", re.ASCII)


def decode(data: bytes, source: str) -> str:
    """Decode UTF-8 text, with or without a byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})", source=source) from None


def read_text(path: str | os.PathLike[str]) -> str:
    try:
        return decode(Path(path).read_bytes(), str(path))
    except OSError as error:
        raise unreadable(error, path) from None


def unreadable(error: OSError, path: str | os.PathLike[str]) -> InputError:
    """Return why a file cannot be read; of one that does not exist, also the name in its directory that is closest."""
    hint = ""
    if isinstance(error, FileNotFoundError):
        with suppress(OSError):
            hint = did_you_mean(Path(path).name, os.listdir(Path(path).parent))
    return InputError(f"{_reason(error)}{hint}", source=str(path))


def write_file(path: str | os.PathLike[str], pieces: Iterable[str] | Iterable[bytes]) -> None:
    """Replace a file atomically: a reader sees the old content or the new one. Devices and pipes are written to.

    Use it for files that the user has named: a symbolic link is followed, and its target replaced. For files that
    verimv names itself, in a directory that others may have filled, use :func:`write_into`.
    """
    target = Path(os.path.realpath(path))
    with _errors_name(path):
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                file.writelines(_encoded(pieces))
            return
        _put(target, pieces)


def write_into(directory: str | os.PathLike[str], name: str, content: str | bytes) -> None:
    """Write one file in a directory, created if missing. A symbolic link of that name is replaced, never followed."""
    target = Path(directory) / name
    with _errors_name(directory):
        Path(directory).mkdir(parents=True, exist_ok=True)
    with _errors_name(target):
        _put(target, [content.encode() if isinstance(content, str) else content])


def _put(target: Path, pieces: Iterable[str] | Iterable[bytes]) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=_TEMPORARY)
    try:
        with _in_use(name):
            _write(handle, pieces)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)


def append_to(path: str | os.PathLike[str], text: str) -> None:
    """Append to a file, created if missing; the text is on disk when this returns."""
    with _errors_name(path):
        _write(os.open(path, _WRITE | os.O_APPEND, 0o666), [text])


@dataclass(frozen=True)
class Replaceable:
    """What may be replaced in an existing directory: files of these names, if `is_ours` recognises the directory or
    `force` is set. `advice` is part of the error message."""

    names: Collection[str] = ()
    is_ours: Callable[[Path], bool] = lambda directory: False
    force: bool = False
    advice: str = "choose a new or empty directory"
    #: names of subdirectories that may be there; they are left alone
    folders: Collection[str] = ()


NOTHING = Replaceable()


def check_directory(path: str | os.PathLike[str], replaceable: Replaceable) -> None:
    """Raise, before any work is done, if :func:`write_directory` would have to destroy other files."""
    if not os.fspath(path):
        raise InputError("expected the name of a directory, found ''")
    target = Path(os.path.realpath(path))
    with _errors_name(path):
        if not target.exists():
            return
        if not target.is_dir():
            raise InputError("exists and is not a directory", source=str(path))
        remains = _remains(target)
        for entry in sorted(target.iterdir()):
            if entry in remains or (entry.name in replaceable.folders and entry.is_dir()):
                continue
            if entry.name in replaceable.names and not entry.is_file():
                raise InputError(f"{entry.name} is not a file; choose another directory", source=str(path))
            if entry.name not in replaceable.names and not replaceable.force:
                raise InputError(f"holds other files ({entry.name}); {replaceable.advice}", source=str(path))
        found = sorted(name for name in replaceable.names if (target / name).exists())
        # A run may have been killed before it put the file in place by which `is_ours` recognises a directory.
        if found and not replaceable.force and not any(map(replaceable.is_ours, [target, *remains])):
            raise InputError(f"{found[0]} was not written by verimv; {replaceable.advice}", source=str(path))
        if not os.access(target, os.W_OK):
            raise InputError("cannot write: permission denied", source=str(path))


def write_directory(
    path: str | os.PathLike[str],
    files: Mapping[str, Iterable[str] | Iterable[bytes]],
    replaceable: Replaceable = NOTHING,
) -> None:
    """Create a directory with these files, or replace the `replaceable` files of an existing one.

    Everything is written to a temporary directory first. The last of `files` is put in place last, and its old version
    is removed first: where it exists, the set is complete.
    """
    check_directory(path, replaceable)
    target = Path(os.path.realpath(path))
    with _errors_name(path):
        new = not target.exists()
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=target.parent if new else target, prefix=_TEMPORARY))
        try:
            with _in_use(fresh):
                for name, pieces in files.items():
                    _write(os.open(fresh / name, _WRITE | os.O_EXCL, 0o666), pieces)
                with _uninterrupted():
                    if new:
                        os.chmod(fresh, 0o777 & ~_umask())
                        os.rename(fresh, target)
                    else:
                        _replace(target, fresh, list(files), replaceable.names)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        for left in _remains(target):  # last: until now, only they may have shown that the directory is verimv's
            if not _is_in_use(left):
                _remove(left)


def _replace(target: Path, fresh: Path, names: list[str], owned: Collection[str]) -> None:
    (target / names[-1]).unlink(missing_ok=True)
    for stale in set(owned) - set(names):
        (target / stale).unlink(missing_ok=True)
    for name in names:
        os.replace(fresh / name, target / name)


def _remains(directory: Path) -> list[Path]:
    """Return temporary files and directories of other verimv runs, killed or still writing.

    They are recognised by name and kind: a file, or a directory that holds nothing but files. Links are not followed.
    """
    return [entry for entry in sorted(directory.iterdir()) if _TEMPORARY_NAME.fullmatch(entry.name) and _is_flat(entry)]


def _is_flat(path: Path) -> bool:
    try:
        if not stat.S_ISDIR(path.lstat().st_mode):
            return _is_plain_file(path)
        return all(map(_is_plain_file, path.iterdir()))
    except FileNotFoundError:  # another process has just finished
        return True


def _is_plain_file(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _remove(path: Path) -> None:
    """Remove a file or a directory of files; ignore errors, since the work itself is done."""
    with suppress(OSError):
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


@contextmanager
def _in_use(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a lock, so that other runs do not remove this path. The system releases it however the process ends."""
    handle = _opened(path)
    try:
        if handle is not None:
            _lock(handle)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _is_in_use(path: Path) -> bool:
    try:
        handle = _opened(path)
    except OSError:  # another user's, or gone
        return True
    if handle is None:
        return False
    try:
        return not _lock(handle)
    finally:
        os.close(handle)


def _opened(path: str | os.PathLike[str]) -> int | None:
    """Open a handle to be locked; None where the system has no such locks."""
    return None if fcntl is None else os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)


def _lock(handle: int) -> bool:
    """Return whether the lock was free. It counts as free on file systems without locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _encoded(pieces: Iterable[str] | Iterable[bytes]) -> Iterator[bytes]:
    return (piece.encode() if isinstance(piece, str) else piece for piece in pieces)


def _write(handle: int, pieces: Iterable[str] | Iterable[bytes]) -> None:
    with os.fdopen(handle, "wb") as file:
        file.writelines(_encoded(pieces))
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay signals until a few renames are done."""
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
