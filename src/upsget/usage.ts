// What `upsget --help` prints.

export const usage = `Usage: upsget [options] HOST USER PASSWORD

Reads the values of a UPS from the web UI of its management software (serial shutdown, version 1.4.0, HTTPS port 6547)
and prints them or sends them on. It logs on, reads in English, sets the display language back and logs off. One person
can be logged on at a time: whoever is logged on already is logged off first, unless --polite is given.

HOST is a name or an address, with :PORT if it is not 6547 (IPv6: [::1]:PORT). Each of HOST, USER and PASSWORD may be
left out, from the right, and is then taken from the environment or the configuration file. A password among the
arguments can be seen by other users of this computer while upsget starts: prefer the other two.

Values to print, separated by spaces, in this order (--load if none is named)
  --status --load --runtime --voltage --battery --batteryvoltage

Output instead of that
  --json                     all values as one JSON object of texts
  --json-typed               the same with numbers, and with their units under "units"; also for what MQTT sends
  --prometheus               all values in the Prometheus text format
  --nut                      all values under their NUT variable names, as upsc prints them
  --all                      also the values that only larger models show (with any of these, MQTT or trapper)
  --output FILE              writes there instead, replacing the file in one step

MQTT (needs mosquitto_pub, or the npm library "mqtt")
  --mqtt-send BROKER         publishes all values as one JSON object
  --mqtt-topic TOPIC         (upsget/ups)
  --mqtt-port PORT           (1883; 8883 with --mqtts)
  --mqtt-user NAME, --mqtt-password TEXT
  --mqtts                    over TLS; --mqtts-ca FILE trusts the certificates in that file only
  --qos 0|1|2, --retain      (0, not retained)
  --ha-discovery             announces the values to Home Assistant (2024.11 or later) first

Zabbix trapper (needs zabbix_sender)
  --trapper-send SERVER      sends all values: ups.status, ups.load, ups.runtime, ups.voltage, ups.battery,
                             ups.batteryvoltage
  --trapper-host NAME        host name of the items (HOST)
  --trapper-port PORT        (10051)

Web UI
  --polite                   leaves a logged-on person alone: says so and ends with 1
  --timeout SECONDS          of each request, 1 to 30 (30)
  --tls-fingerprint SHA256   refuses any other certificate; certificates are not verified otherwise
  --tls-trust-first          pins the first certificate seen, and refuses another one later
  --tls-legacy               also TLS 1.0 and 1.1 and short keys, for old versions of the product

Other
  --watch SECONDS            reads again and again, 1 to 86400 seconds apart, logging off in between, until it is ended
  --snapshot DIR             saves the pages there, with secrets masked: to report a change of the product
  --mask TEXT                also masks this text in the snapshot (may be repeated)
  --config FILE              configuration file (~/.upsget.conf)
  --help, --version

Configuration file (keep it readable for you alone: chmod 600)
  [ups]
  ip = 192.168.1.20
  username = operator
  password = …
  [mqtt]
  username = …
  password = …

Environment: UPSGET_IP, UPSGET_USERNAME, UPSGET_PASSWORD; UPSGET_MQTT_USER, UPSGET_MQTT_PASSWORD.
Arguments win over the environment, the environment wins over the file; an empty text counts as not given.

Exit code: 0, 1 when something failed (the reason is on stderr), 2 for a mistake in the command line, 130 or 143 when
ended by Ctrl-C or SIGTERM; language and session of the UPS are cleaned up in every case. --watch ends with 0 when it is
ended by a signal, and with 1 when the UPS refuses user name and password, which are never tried twice.

upsget runs on Node.js 24 or newer: on the one that starts it or else on the one that "npm ci" brings along. It needs no
other package.
`;
