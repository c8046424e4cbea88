"""Writing so that a crash at any moment leaves the old file or the new one, and so that what stands is never rewritten."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from recordroom_pipeline.errors import AlreadyWritten


@contextlib.contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder; it takes the place of ``path`` when the block ends well, and vanishes otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a derived file as a whole."""
    with beside(path) as temporary:
        temporary.write_bytes(data)


def create(path: Path, data: bytes) -> bool:
    """Create a file that is never written again, complete at the moment it appears; False when it stands there already.

    A hard link fails where the name is taken, so of two writers exactly one creates the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.link(name, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(name)
    return True


def create_same(path: Path, data: bytes) -> None:
    """Create an immutable file; the same content standing there is fine.

    Raises:
        AlreadyWritten: when other content stands there.
    """
    if not create(path, data) and path.read_bytes() != data:
        raise AlreadyWritten(f"{path} stands there with other content and is never rewritten; restore it from git")
