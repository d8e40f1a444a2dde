"""`python -m treville.models.fingerprints` renews `library/fingerprints.txt`, one for each shipped model."""

from __future__ import annotations

from treville.models.identity import FINGERPRINTS, fingerprint
from treville.models.library import MODELS, load_model


def shipped_fingerprints() -> str:
    """What the file of fingerprints should hold."""
    return "".join(f"{name} {fingerprint(load_model(name))}\n" for name in MODELS)


if __name__ == "__main__":
    FINGERPRINTS.write_text(shipped_fingerprints(), encoding="utf-8")
