"""Logs in to a router with netmiko as a script of an operator does, and prints what it saw as one JSON document.

Usage: with_netmiko.py HOST PORT USER PASSWORD ENABLE
"""

import json
import sys

from netmiko import ConnectHandler

host, port, user, password, enable = sys.argv[1:]
with ConnectHandler(
    device_type="cisco_ios", host=host, port=int(port), username=user, password=password, secret=enable
) as router:
    seen = {"prompt": router.find_prompt(), "privileged": [router.check_enable_mode()]}
    router.enable()
    seen["privileged"].append(router.check_enable_mode())
    commands = ["show version", "show ip arp", "show ip nat translations", "show nonsense", "show clock"]
    seen["answers"] = {command: router.send_command(command) for command in commands}
print(json.dumps(seen))
