"""One layer as a bundle writes it down: a surface with all that is known of how it was read, or the build (contract, Bundle)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from diagnose.errors import InputError
from diagnose.evidence.observation import (
    Advertised,
    Anomaly,
    Build,
    Deployment,
    Era,
    Failure,
    Health,
    LayerName,
    Observation,
    Page,
)
from diagnose.surface import Surface
from diagnose.wire.eras import LEGACY, MODERN
from diagnose.wire.paging import Walk

Word = TypeVar("Word")

_HEALTH: Mapping[Any, Health] = {"ok": "ok", "degraded": "degraded", "unreachable": "unreachable", "absent": "absent"}
_ERAS: Mapping[Any, Era] = {"modern": "modern", "legacy": "legacy"}


def observation_of(value: Any, layer: LayerName, where: str) -> Observation:
    """Return the observation that a layer of a bundle states; ``where`` names it in what is said of it.

    Raises:
        InputError: it is no object, or holds neither tools nor an error, or something in it has the wrong type.

    """
    own = _reading(value, layer, where)
    samples = _list(value, "samples", where)
    readings = tuple(_reading(each, layer, f"{where}/samples/{place}") for place, each in enumerate(samples))
    if not readings:
        return own
    # The surface itself is the latest of them, whether or not it is written down once more.
    return replace(own, samples=readings if _same(readings[-1], own) else (*readings, own))


def _reading(value: Any, layer: LayerName, where: str) -> Observation:
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: expected an object, got {_kind(value)}")
    failure = _failure(value.get("error"))
    surface = _surface(value, where) if "tools" in value else None
    if surface is None and failure is None:
        raise InputError(f"{where}: expected `tools`, or an `error` that says why there are none")
    version = _text(value, "protocolVersion", where)
    pages = tuple(_page(page, f"{where}/pages/{place}") for place, page in enumerate(_list(value, "pages", where)))
    failure = failure or _endless(pages)
    return Observation(
        layer=layer,
        surface=surface,
        complete=value.get("complete") is not False and surface is not None and failure is None,
        names_only=surface is not None and surface.names_only,
        at=_text(value, "at", where),
        source=_text(value, "source", where) or layer,
        principal=_text(value, "principal", where),
        session=_text(value, "session", where),
        era=_one_of(_ERAS, value.get("era")) or _era(layer, version, value, pages),
        protocol_version=version,
        server_info=_object(value, "serverInfo", where),
        capabilities=_object(value, "capabilities", where),
        advertised=_advertised(_object(value, "advertised", where)),
        ttl_ms=value.get("ttlMs"),
        cache_scope=value.get("cacheScope"),
        pages=pages,
        meta=_object(value, "meta", where),
        anomalies=_told(_list(value, "anomalies", where)) or tuple(_anomalies(surface)),
        failure=failure,
        turn=value.get("turn"),
        servers=tuple(_list(value, "servers", where)),
        notes=tuple(note for note in _list(value, "notes", where) if isinstance(note, str)),
    )


def _surface(value: Mapping[str, Any], where: str) -> Surface:
    tools = _list(value, "tools", where)
    instructions, capabilities = _text(value, "instructions", where), _object(value, "capabilities", where)
    if value.get("namesOnly") is True or (tools and all(isinstance(entry, str) for entry in tools)):
        return Surface.of(tools, instructions, capabilities, names_only=True)
    revision, digest = value.get("revision"), value.get("digest")
    return Surface.recorded(
        tools,
        instructions,
        capabilities,
        revision=revision if isinstance(revision, str) else None,
        digest=digest if isinstance(digest, str) else None,
    )


def _anomalies(surface: Surface | None) -> list[Anomaly]:
    """Return what no strict JSON could have carried: it came so, and is part of the evidence."""
    tools = surface.tools if surface is not None else ()
    return [
        Anomaly(
            kind="lone-surrogate" if "surrogate" in tool.defect.what else "non-finite-number",
            where=f"/tools/{place}{tool.defect.pointer}",
            detail=tool.defect.what,
        )
        for place, tool in enumerate(tools)
        if tool.defect is not None
    ]


def _told(stated: Sequence[Any]) -> tuple[Anomaly, ...]:
    """Return what an observer of ours wrote down of the bytes that it received."""
    return tuple(
        Anomaly(kind=str(each.get("kind")), where=str(each.get("where", "")), detail=str(each.get("detail", ""))[:500])
        for each in stated
        if isinstance(each, Mapping) and isinstance(each.get("kind"), str)
    )


def _failure(error: Any) -> Failure | None:
    """Return why there was no list: an error of ours with its rule, or what the server answered."""
    if error is None:
        return None
    body = error if isinstance(error, Mapping) else {"message": str(error)}
    status, code, rule = body.get("status"), body.get("code"), body.get("rule")
    args, refused = body.get("args"), status in (401, 403)
    return Failure(
        rule=rule if isinstance(rule, str) else "auth-blocked" if refused else "list-error",
        message=str(body.get("message") or (f"HTTP {status}" if status is not None else f"error {code}"))[:500],
        code=code if isinstance(code, int) else None,
        status=status if isinstance(status, int) else None,
        where=str(body.get("where") or ""),
        args=args if isinstance(args, Mapping) else {},
    )


def _advertised(value: Mapping[str, Any] | None) -> Advertised:
    said = value or {}
    return Advertised(
        initialize=said.get("initialize"),
        initialize_meta=said.get("initializeMeta"),
        list=said.get("list"),
        count=said.get("count"),
    )


def _era(layer: LayerName, version: str | None, value: Mapping[str, Any], pages: Sequence[Page]) -> Era | None:
    """Return the era that a version tells, or hints for caches do: a server's list has them in the modern era alone."""
    if version is not None:
        return "modern" if version in MODERN else "legacy" if version in LEGACY else None
    told = value.get("cacheScope") is not None or any(page.cache_scope is not None for page in pages)
    return "modern" if told and layer in {"origin", "path"} else None


def _page(value: Any, where: str) -> Page:
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: expected an object, got {_kind(value)}")
    cursor = value.get("cursor")
    return Page(
        cursor=cursor if isinstance(cursor, str) else None,
        next_cursor=value.get("nextCursor"),
        names=tuple(_list(value, "names", where)),
        ttl_ms=value.get("ttlMs"),
        cache_scope=value.get("cacheScope"),
        revision=value.get("revision"),
        count=value.get("count"),
    )


def _endless(pages: Sequence[Page]) -> Failure | None:
    """Return that a walk never ends, where its pages show it though nobody says so: by the rule of our own walks."""
    walk = Walk()
    for page in pages:
        following = {} if page.next_cursor is None else {"nextCursor": page.next_cursor}
        walk.feed({"tools": [{"name": name} for name in page.names], **following}, 0)
        if walk.progress != "asking":
            break
    found = walk.failure
    if found is None or found.rule not in {"cursor-loop", "cursor-empty-string"}:
        return None
    return Failure(rule=found.rule, message=found.message, args=found.args, where="tools/list")


def _same(sample: Observation, own: Observation) -> bool:
    """Tell whether the last sample is the surface itself, written down once more."""
    alike = all(
        mine is None or mine == theirs
        for mine, theirs in ((own.at, sample.at), (own.era, sample.era), (own.principal, sample.principal))
    )
    left, right = sample.surface, own.surface
    return alike and left is not None and right is not None and left.raw_entries == right.raw_entries


def deployment_of(value: Any, where: str) -> Deployment:
    """Return the `deployed` layer: the build that was expected, the one that answers, and its samples.

    Raises:
        InputError: something in it has the wrong type.

    """
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: expected an object, got {_kind(value)}")
    expected, observed = _object(value, "expected", where), _object(value, "observed", where)
    samples = _list(observed, "samples", f"{where}/observed") if observed is not None else []
    builds = tuple(_build(each, f"{where}/observed/samples/{place}") for place, each in enumerate(samples))
    own = _build(observed, f"{where}/observed") if observed is not None else None
    return Deployment(
        expected=_build(expected, f"{where}/expected") if expected is not None else None,
        observed=own,
        samples=builds or ((own,) if own is not None else ()),
        source=own.source if own is not None else "",
        failure=_failure(value.get("error")),
        notes=tuple(note for note in _list(value, "notes", where) if isinstance(note, str)),
    )


def _build(value: Any, where: str) -> Build:
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: expected an object, got {_kind(value)}")
    return Build(
        source=_text(value, "source", where) or "bundle",
        health=_one_of(_HEALTH, value.get("health")),
        version=_text(value, "version", where),
        build=_text(value, "build", where),
        at=_text(value, "at", where),
        started_at=_text(value, "startedAt", where),
    )


def _one_of(words: Mapping[Any, Word], said: Any) -> Word | None:
    return words.get(said) if isinstance(said, str) else None


def _text(value: Mapping[str, Any], key: str, where: str) -> str | None:
    found: str | None = _typed(value, key, where, str, "a text")
    return found


def _object(value: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = _typed(value, key, where, Mapping, "an object")
    return found


def _list(value: Mapping[str, Any], key: str, where: str) -> Sequence[Any]:
    found: Sequence[Any] | None = _typed(value, key, where, list, "a list")
    return found if found is not None else []


def _typed(value: Mapping[str, Any], key: str, where: str, kind: type, named: str) -> Any:
    found = value.get(key)
    if found is not None and not isinstance(found, kind):
        raise InputError(f"{where}/{key}: expected {named}, got {_kind(found)}")
    return found


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "nothing"}
    return names.get(type(value), "a number")
