"""The room's public names are those that it says it has, each loaded from its own file."""

import diagnose.freshness as room


def test_every_public_name_can_be_had():
    for name in room.__all__:
        assert getattr(room, name) is not None


def test_every_home_is_named_once_and_nothing_else_is_public():
    assert sorted(name for names in room._HOMES.values() for name in names) == sorted(room.__all__)
