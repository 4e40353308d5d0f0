import copy
import dataclasses
import json
import pickle

import pytest

from diagnose.evidence.secret import MASK, Secret

VALUE = "sk_meridian_0123456789"


@pytest.mark.parametrize("show", [str, repr, "{}".format, "{:>40}".format, "{!r:}".format, lambda s: f"{[s]} {(s,)}"])
def test_no_way_of_printing_shows_it(show):
    shown = show(Secret(VALUE))
    assert VALUE not in shown
    assert MASK in shown


def test_only_reveal_gives_it_away():
    secret = Secret(VALUE)
    assert secret.reveal() == VALUE
    assert not hasattr(secret, "__dict__")


def test_neither_json_nor_pickle_takes_it():
    with pytest.raises(TypeError):
        json.dumps(Secret(VALUE))
    with pytest.raises(TypeError):
        pickle.dumps(Secret(VALUE))


def test_a_copy_is_itself_so_that_records_holding_it_can_be_copied():
    @dataclasses.dataclass
    class Record:
        secret: Secret

    secret = Secret(VALUE)
    assert copy.copy(secret) is copy.deepcopy(secret) is secret
    assert dataclasses.asdict(Record(secret)) == {"secret": secret}


def test_equality_is_by_value_and_only_among_secrets():
    assert Secret("a") == Secret("a")
    assert hash(Secret("a")) == hash(Secret("a"))
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert Secret("\ud800") == Secret("\ud800")


def test_fingerprints_depend_on_key_and_value():
    one = Secret(VALUE).fingerprint(b"k" * 32)
    assert one == Secret(VALUE).fingerprint(b"k" * 32)
    assert one != Secret(VALUE).fingerprint(b"l" * 32)
    assert one != Secret(VALUE + "x").fingerprint(b"k" * 32)
    # HMAC-SHA256 of RFC 4231, test case 2
    assert Secret("what do ya want for nothing?").fingerprint(b"Jefe") == "fp:5bdcc146bf"
