"""Folders and files of caches, which are used only if nobody else can write them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["is_ours"]


def is_ours(status: os.stat_result, source: Path) -> bool:
    """Test whether nobody can write something who could not change the package, or become the user, anyhow.

    Systems other than POSIX have no such modes; there, folders are private by default.

    Args:
        status: of the folder or file.
        source: the folder of the package.
    """
    if os.name != "posix":
        return True
    trusted = source.stat()
    if status.st_uid not in (os.geteuid(), 0, trusted.st_uid):
        return False
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return True  # others may add to it, and not take away or rename: /tmp
    if status.st_mode & stat.S_IWOTH and not trusted.st_mode & stat.S_IWOTH:
        return False
    is_shared = status.st_mode & stat.S_IWGRP and not _is_private(status)
    return not is_shared or bool(trusted.st_mode & stat.S_IWGRP and trusted.st_gid == status.st_gid)


def _is_private(status: os.stat_result) -> bool:
    """Test whether the group is its owner's own, with nobody else in it, as many systems have it."""
    import grp
    import pwd

    try:
        owner, group = pwd.getpwuid(status.st_uid), grp.getgrgid(status.st_gid)
    except KeyError:
        return False
    return group.gr_gid == owner.pw_gid and group.gr_name == owner.pw_name and set(group.gr_mem) <= {owner.pw_name}
