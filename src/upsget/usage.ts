// What `upsget --help` prints.

export const usage = `Usage: upsget [options] HOST USER PASSWORD

Reads the values of a UPS from the web UI of its management software (serial shutdown, version 1.4.0, HTTPS port 6547)
and prints or sends them. It logs on, reads in English, restores the display language and logs off. The web UI allows
one session at a time: a user who is logged on is logged off first, unless --polite is given.

HOST is a name or an address, with :PORT if it is not 6547 (IPv6: [::1]:PORT). HOST, USER and PASSWORD may be omitted,
from the right; they are then read from the environment or the configuration file. Other users of this computer can see
a password in the arguments while upsget starts: prefer the environment or the file.

Values to print, separated by spaces, in this order (default: --load)
  --status --load --runtime --voltage --battery --batteryvoltage

Other output formats
  --json                     all values as one JSON object of texts
  --json-typed               the same with numbers, and their units under "units"; also applies to MQTT
  --prometheus               all values in the Prometheus text format
  --nut                      all values under their NUT variable names, as upsc prints them
  --all                      also the values that only larger models show (with any of these, MQTT or trapper)
  --output FILE              writes to FILE instead of stdout, replacing it atomically

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
  --polite                   does not log off another user: prints an error and exits with 1
  --timeout SECONDS          timeout of each request, 1 to 30 (30)
  --tls-fingerprint SHA256   refuses any other certificate; certificates are not verified otherwise
  --tls-trust-first          pins the first certificate seen, and refuses another one later
  --tls-legacy               also TLS 1.0 and 1.1 and short keys, for old versions of the product

Other
  --watch SECONDS            reads every 1 to 86400 seconds until it is ended, and logs off in between
  --snapshot DIR             saves the pages to DIR with secrets masked, to report a change of the product
  --mask TEXT                also masks this text in the snapshot (may be repeated)
  --config FILE              configuration file (~/.upsget.conf)
  --help, --version

Configuration file (make it private: chmod 600)
  [ups]
  ip = 192.168.1.20
  username = operator
  password = …
  [mqtt]
  username = …
  password = …

Environment: UPSGET_IP, UPSGET_USERNAME, UPSGET_PASSWORD; UPSGET_MQTT_USER, UPSGET_MQTT_PASSWORD.
Arguments take precedence over the environment, the environment over the file; an empty value counts as not given.

Exit code: 0 on success, 1 on failure (the reason is on stderr), 2 for an error in the command line, 130 or 143 after
Ctrl-C or SIGTERM. Language and session of the UPS are restored in every case. --watch exits with 0 after a signal, and
with 1 when the UPS refuses user name and password, which are never retried.

upsget runs on Node.js 24 or newer: the one that starts it, otherwise the one that "npm ci" installs. It needs no other
package.
`;
