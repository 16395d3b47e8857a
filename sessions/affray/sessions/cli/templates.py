"""The text of a new plugin: files from the folder `templates` with names put in, and TOML written out.

A file ends in `.in`; `$name` in it is a name, `$$` a dollar sign. Nothing is imported or run here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from string import Template

import msgspec

from affray.kernel import Json

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def filled(kind: str, name: str, values: Mapping[str, str]) -> str:
    """A template of the kind `system` or `house_rule` with its names put in. Raises KeyError for one that is not given."""
    text = (files("affray.sessions") / "templates" / kind / f"{name}.in").read_text("utf-8")
    return Template(text).substitute(values)


def toml_value(value: Json) -> str:
    """A JSON value as TOML on one line; null, which TOML does not have, is left out of tables."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
        case list() | tuple():
            return f"[{', '.join([toml_value(one) for one in value if one is not None])}]"
        case dict():
            pairs = [f"{_key(name)} = {toml_value(one)}" for name, one in value.items() if one is not None]
            return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    raise TypeError(f"{value!r} cannot be written as TOML")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else toml_value(name)


__all__ = ["filled", "toml_value"]
