"""Two folders that exchange their places in one step, where the system can; else by two renames."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from pathlib import Path

_AT_FDCWD = -100
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_UNABLE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def put(new: Path, target: Path, aside: Path) -> None:
    """Put a folder in the place of another one, which is then removed; readers see one of them, whole.

    Without an exchange in one step, the old folder is first renamed to `aside`, and for a moment there is
    none. `recover` puts it back if the process ends just then.
    """
    if not target.exists():
        new.rename(target)
    elif _exchanged(new, target):
        shutil.rmtree(new, ignore_errors=True)
    else:
        target.rename(aside)
        try:
            new.rename(target)
        finally:
            if not target.exists():
                aside.rename(target)
        shutil.rmtree(aside, ignore_errors=True)


def recover(new: Path, target: Path, aside: Path) -> None:
    """Clear up after a process that was killed: the target is then the old folder or the new one."""
    if aside.exists() and not target.exists():
        aside.rename(target)
    for left in (new, aside):
        if left.exists():
            shutil.rmtree(left)


def _exchanged(new: Path, target: Path) -> bool:
    """Exchange two folders in one step, and tell whether the system can."""
    names = os.fsencode(new), os.fsencode(target)
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "linux":
            failed = library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE)
        elif sys.platform == "darwin":
            failed = library.renamex_np(*names, _EXCHANGE)
        else:
            return False
    except (AttributeError, OSError, TypeError):  # a library without the function, or no library at all
        return False
    if failed and (code := ctypes.get_errno()) not in _UNABLE:
        raise OSError(code, os.strerror(code), str(target))
    return not failed
