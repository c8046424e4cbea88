"""Semantic versions, and the key under which one state of a spec is run."""

from __future__ import annotations

import semver


def is_version(text: str) -> bool:
    """Whether text is a semantic version as specs write it: lower case, no build metadata.

    >>> is_version("0.2.0"), is_version("1.0.0-rc.1"), is_version("1.0"), is_version("1.0.0+b1")
    (True, True, False, False)
    """
    return semver.Version.is_valid(text) and "+" not in text and text == text.lower()


def version_order(version: str) -> semver.Version:
    """A value that sorts versions by precedence.

    >>> sorted(["0.10.0", "0.9.0", "0.10.0-rc.1"], key=version_order)
    ['0.9.0', '0.10.0-rc.1', '0.10.0']
    """
    return semver.Version.parse(version)


def draft_key(version: str, spec_hash: str) -> str:
    """Partition key of content whose version nobody has adopted.

    >>> draft_key("0.3.0", "sha256:1a2b3c4d5e")
    '0.3.0-draft.1a2b3c4d'
    """
    return f"{version}-draft.{spec_hash.removeprefix('sha256:')[:8]}"


def base_version(version_key: str) -> str:
    """The version that a partition key stands for.

    >>> base_version("0.3.0-draft.1a2b3c4d"), base_version("0.2.0")
    ('0.3.0', '0.2.0')
    """
    return version_key.partition("-draft.")[0]


def is_draft(version_key: str) -> bool:
    """Whether a partition key names content that was not adopted."""
    return "-draft." in version_key


def newer(version: str, than: str) -> bool:
    """Whether one version precedes another in semver order."""
    return version_order(version) > version_order(than)
