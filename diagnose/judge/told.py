"""What is known of the build that runs, without the versions that may be those of an SDK."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from diagnose.evidence.bundle import Bundle
from diagnose.evidence.observation import Build
from diagnose.judge.builds import version_order

SERVER_INFO = "serverInfo"


def samples(bundle: Bundle) -> tuple[Build, ...]:
    """Return what each endpoint said of the build, oldest first."""
    seen = bundle.deployed
    if seen is None:
        return ()
    return seen.samples or ((seen.observed,) if seen.observed is not None else ())


def sdk_version(bundle: Bundle) -> str | None:
    """Return the version in serverInfo where it is known to be that of the MCP SDK: a Meridian's over stdio."""
    origin = bundle.origin
    info = origin.server_info if origin is not None else None
    if bundle.target.transport != "stdio" or not info or info.get("name") != "meridian":
        return None
    return in_server_info(bundle)


def in_server_info(bundle: Bundle) -> str | None:
    """Return the version that serverInfo gave, where no endpoint gave that one."""
    elsewhere = {sample.version for sample in samples(bundle) if sample.source != SERVER_INFO}
    told = (sample.version for sample in samples(bundle) if sample.source == SERVER_INFO)
    return next((version for version in told if version is not None and version not in elsewhere), None)


def comparable(bundle: Bundle) -> tuple[Build, ...]:
    """Return every sample as far as it can be held to an expectation.

    A version that only serverInfo gives may be that of the SDK that the server was built with. Where it is the expected
    one it is taken for the server's; where it is another it shows nothing.
    """
    return tuple(_without_doubt(bundle))


def _without_doubt(bundle: Bundle) -> Iterator[Build]:
    seen, doubtful = bundle.deployed, in_server_info(bundle)
    if seen is None:
        return
    expected = seen.expected.version if seen.expected is not None else None
    met = doubtful is not None and expected is not None and version_order(doubtful, expected) == "same"
    told = met and sdk_version(bundle) is None
    for sample in (*samples(bundle), *([seen.observed] if seen.observed is not None else [])):
        drop = not told and doubtful is not None and sample.version == doubtful
        yield replace(sample, version=None) if drop else sample
