"""The program under test reads the NAT table of a router with netmiko."""

import pytest
from netmiko import ConnectHandler


def read_table(router):
    """Returns what the router prints; raises when the session ends before the prompt came back."""
    with ConnectHandler(
        device_type="cisco_ios",
        host="127.0.0.1",
        port=router.port,
        username=router.user,
        password=router.password,
        secret=router.enable,
    ) as session:
        session.enable()
        return session.send_command("show ip nat translations")


def test_a_session_of_the_router_is_in_the_table(router):
    router.post("/flows", {"src": "192.168.100.23", "dst": "203.0.113.80", "dport": 443})
    assert "203.0.113.80:443" in read_table(router)


def test_a_wrong_password_is_an_error(router):
    router.password = "not the password"
    with pytest.raises(Exception, match="Authentication"):
        read_table(router)
