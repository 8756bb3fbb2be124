"""The bad bundles as files, for verifiers that are not ours: `python -m tests.vectors.bad_files` writes them.

`bundles/bad/<name>.json` each, and `bundles/bad/expected.json`: which checks have to fail for each of them under
`bundles/jwks.json`, and no others. Those of `resealed` were signed by a lying signer, those of `edited` changed by
somebody without a key.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from assent.proof.bundle import bundle_bytes
from tests.vectors.edited import EDITED, Value, edited_value, value_of
from tests.vectors.resealed import RESEALED
from tests.vectors.sealing import FOLDER, good_bundles

BAD = FOLDER / "bad"
EXPECTED = BAD / "expected.json"


def bad_files() -> dict[Path, bytes]:
    """The content of every file, by its place."""
    made = {f"signed_{name}": bundle_bytes(make()) for name, (make, _) in RESEALED.items()}
    made |= {f"edited_{name}": msgspec.json.encode(edited_value(name)) for name in EDITED}
    made["edited_its_own_id"] = msgspec.json.encode(_with_another_id())
    found = {BAD / f"{name}.json": content for name, content in sorted(made.items())}
    wanted = {f"signed_{name}": sorted(checks) for name, (_, checks) in RESEALED.items()}
    wanted |= {f"edited_{name}": sorted(EDITED[name][2]) for name in EDITED} | {"edited_its_own_id": ["bundle_id"]}
    expected = msgspec.json.format(msgspec.json.encode(dict(sorted(wanted.items())))) + b"\n"
    return found | {EXPECTED: expected}


def _with_another_id() -> Value:
    return value_of(good_bundles()["action_blocked"]) | {"bundle_id": "sha256:" + "0" * 64}


def main() -> None:
    BAD.mkdir(exist_ok=True)
    made = bad_files()
    for path in BAD.iterdir():
        if path not in made:
            path.unlink()
    for path, content in made.items():
        path.write_bytes(content)
    print(f"wrote {len(made)} files, {sum(map(len, made.values()))} bytes")


if __name__ == "__main__":
    main()
