"""Logs in to a router with paramiko, types commands into its shell, and prints their answers as one JSON document.

Usage: with_paramiko.py HOST PORT USER PASSWORD ENCODING PROMPT COMMAND...
PROMPT is a regular expression that the end of the screen matches when the router waits for a command.
"""

import json
import re
import sys

import paramiko

host, port, user, password, encoding, prompt, *commands = sys.argv[1:]
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
client.connect(host, port=int(port), username=user, password=password, look_for_keys=False, allow_agent=False)
shell = client.invoke_shell(width=200, height=500)


def read_answer():
    screen = ""
    while not re.search(prompt, screen):
        received = shell.recv(65536)
        if received == b"":
            raise EOFError("the router closed the shell before its prompt; it said: " + screen)
        screen += received.decode(encoding, errors="replace")
    return screen


answers = {"": read_answer()}
for command in commands:
    shell.send(command + "\r")
    answers[command] = read_answer()
client.close()
print(json.dumps(answers))
