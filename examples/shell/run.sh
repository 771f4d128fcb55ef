#!/bin/sh
# Starts a router, puts a flow into its table by the control API, and reads what the router must show.
set -eu
folder=$(mktemp -d)
npx --no-install gatehouse-simulators vendor_b --port 0 --control-port 0 > "$folder/router.json" 2> "$folder/router.log" &
router=$!
trap 'kill "$router"; wait "$router" || true; rm -r "$folder"' EXIT

until test -s "$folder/router.json"; do
  kill -0 "$router" || { cat "$folder/router.log"; exit 1; }
  sleep 0.1
done
control=$(sed 's/.*"control":"\([^"]*\)".*/\1/' "$folder/router.json")

curl -fsS -o /dev/null "$control/flows" -H 'Content-Type: application/json' \
  -d '{"src":"192.168.100.23","dst":"203.0.113.80","dport":443}'
curl -fsS -o /dev/null "$control/faults" -H 'Content-Type: application/json' -d '{"fault":"truncated","times":1}'
curl -fsS "$control/truth" | grep -o '"dst":"203.0.113.80"'
curl -fsS "$control/journal" | grep -o '"fault":"truncated"'
