"""Whom a connection trusts: verification is never off, and the environment decides by whose word."""

from __future__ import annotations

import ssl

import pytest

from diagnose.transport.tls import trust_store


@pytest.fixture
def env(client, monkeypatch):
    """The environment without the variables of proxies and certificates, as `client` leaves it."""
    return monkeypatch


def test_names_and_certificates_are_verified(env, certificates):
    for file in (None, str(certificates.ca_file)):
        if file is not None:
            env.setenv("SSL_CERT_FILE", file)
        context = trust_store()
        assert context.check_hostname
        assert context.verify_mode is ssl.CERT_REQUIRED
        assert context.minimum_version >= ssl.TLSVersion.TLSv1_2


def test_without_settings_the_known_authorities_are_trusted(env):
    assert trust_store().cert_store_stats()["x509_ca"] > 50


def test_a_file_that_is_named_is_all_that_is_trusted(env, certificates):
    env.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    [authority] = trust_store().get_ca_certs()
    assert authority["subject"] == ((("commonName", "Test CA"),),)


def test_a_folder_that_is_named_is_searched(env, certificates, tmp_path):
    env.setenv("SSL_CERT_DIR", str(tmp_path))
    assert trust_store().cert_store_stats()["x509_ca"] == 0


def test_plain_http_does_not_pay_for_a_trust_store(env, serve, client, answers, tmp_path):
    env.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    assert client().fetch("GET", serve(answers((200, b"here", {}))).url()).body == b"here"
