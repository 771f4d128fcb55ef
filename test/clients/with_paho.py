"""Publishes and subscribes with paho-mqtt over TLS, and prints what the subscriber heard as one JSON document.

Usage: with_paho.py PORT CA_FILE USER PASSWORD
"""

import json
import sys
import threading

import paho.mqtt.client as mqtt

port, ca, user, password = sys.argv[1:]
heard = []
connected, subscribed, finished = threading.Event(), threading.Event(), threading.Event()


def hear(_client, _data, message):
    heard.append([message.topic, message.payload.decode(), message.qos, bool(message.retain)])
    if message.payload == b"end":
        finished.set()


def start(name):
    client = mqtt.Client(client_id=name, protocol=mqtt.MQTTv311)
    client.tls_set(ca_certs=ca)
    client.username_pw_set(user, password)
    client.on_connect = lambda *_: connected.set()
    client.on_subscribe = lambda *_: subscribed.set()
    client.on_message = hear
    connected.clear()
    client.connect("127.0.0.1", int(port))
    client.loop_start()
    if not connected.wait(60):
        raise SystemExit(f"{name} was not connected within a minute")
    return client


sender = start("sender")
sender.publish("ups/kept", "before", qos=1, retain=True).wait_for_publish()
listener = start("listener")
listener.subscribe("ups/#", qos=2)
if not subscribed.wait(60):
    raise SystemExit("the subscription was not acknowledged within a minute")
for quality in range(3):
    sender.publish("ups/value", f"quality {quality}", qos=quality).wait_for_publish()
sender.publish("ups/value", "end", qos=2).wait_for_publish()
if not finished.wait(60):
    raise SystemExit(f"the last message did not come within a minute; heard {heard}")
for client in (sender, listener):
    client.disconnect()
    client.loop_stop()
print(json.dumps(heard))
