"""How a spec's name is spelled in Dagster, whose keys take letters, digits and underscores."""

from __future__ import annotations

import dagster as dg


def key_prefix(name: str) -> list[str]:
    """The prefix of a spec's assets.

    >>> key_prefix("recordroom/property-underwriting")
    ['recordroom', 'property_underwriting']
    """
    return [part.replace("-", "_") for part in name.split("/")]


def group_name(name: str) -> str:
    """The group of a spec's assets.

    >>> group_name("recordroom/property-underwriting")
    'recordroom__property_underwriting'
    """
    return "__".join(key_prefix(name))


def asset_key(name: str, asset: str) -> dg.AssetKey:
    """The key of one asset of a spec."""
    return dg.AssetKey([*key_prefix(name), asset])


WAREHOUSE_KEY = dg.AssetKey("warehouse")
"""The one asset over all specs."""
