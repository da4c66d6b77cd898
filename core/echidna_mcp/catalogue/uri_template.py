"""URI templates of the first level (RFC 6570 §1.2): `scheme://place/{variable}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class UriTemplate:
    """Makes URIs from values, and values from URIs.

    Args:
        text: the template; without variables it is a URI that means one thing.

    Attributes:
        variables: names, in the order in which they stand in the template.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.variables = tuple(_VARIABLE.findall(text))
        literals = _VARIABLE.split(text)[::2]
        # Signatures hold parentheses and commas, which a client may leave as they are.
        self._pattern = re.compile("([^/?#]+)".join(map(re.escape, literals)))

    def match(self, uri: str) -> Mapping[str, str] | None:
        """Return the values in a URI, or None if it is no such URI."""
        found = self._pattern.fullmatch(uri)
        if found is None:
            return None
        values = map(unquote, found.groups())
        return dict(zip(self.variables, values, strict=True))

    def expand(self, values: Mapping[str, str]) -> str:
        """Return the URI of some values; everything but unreserved is escaped."""
        return _VARIABLE.sub(lambda found: quote(values[found[1]], safe=""), self.text)
