// UPS reader specification: the whole command-line tool.
import { type Requirement, stated } from './requirement.ts';

const output = [
  ...stated(3, '1', {
    'ups.run.https-6547': 'the tool logs in over HTTPS on TCP port 6547',
    'ups.run.by-element-id': 'values are extracted from the status page by HTML element id',
    'ups.run.single-program': 'one program with standard-library dependencies only',
    'ups.run.reads-english': 'data is always read in English',
    'ups.run.restores-language': 'the original display language is restored afterwards',
    'ups.mode.normal': 'normal mode prints the selected items to stdout, separated by spaces',
    'ups.mode.json': '--json prints all items as JSON to stdout',
  }),
  ...stated(3, '1', {
    'ups.run.extra-tools': 'MQTT and trapper sending need extra tools',
    'ups.mode.combined': 'JSON, MQTT and trapper may be used together',
    'ups.mode.mqtt': '--mqtt-send publishes all items as one JSON payload',
    'ups.mode.trapper': '--trapper-send sends all items as trapper items',
  }),
];

const items = stated(3, '2', {
  'ups.item.status': 'status is value_DeviceStatus, trapper ups.status, a string',
  'ups.item.load': 'load is value_RealPowerPct, trapper ups.load, in %',
  'ups.item.runtime': 'runtime is value_RuntimeRemaining, trapper ups.runtime, in min',
  'ups.item.voltage': 'voltage is value_InputVoltage, trapper ups.voltage, in VAC',
  'ups.item.battery': 'battery is value_BatteryCharge, trapper ups.battery, in %',
  'ups.item.batteryvoltage': 'batteryvoltage is value_VoltageDC, trapper ups.batteryvoltage, in VDC',
  'ups.config.section': 'the INI section is [ups] with keys ip, username, password',
});

const options = [
  ...stated(3, '4 Positional', {
    'ups.arg.positional': 'ip, username and password are required unless the file or environment gives them',
  }),
  ...stated(3, '4 Options', {
    'ups.option.items': '--status, --load, --runtime, --voltage, --battery, --batteryvoltage select items',
    'ups.option.items-default': '--load is selected if no item is given',
    'ups.option.json': '--json is off by default',
    'ups.option.mqtt-send': '--mqtt-send takes the broker address, off by default',
    'ups.option.mqtt-topic': '--mqtt-topic defaults to upsget/ups',
    'ups.option.trapper-send': '--trapper-send takes the server address, off by default',
    'ups.option.help': '--help prints help',
  }),
  ...stated(3, '4 Options', {
    'ups.option.mqtt-auth': '--mqtt-user and --mqtt-password authenticate to the broker',
    'ups.option.trapper-host': '--trapper-host defaults to the ip argument',
  }),
  ...stated(3, '2, 4 Options', {
    'ups.option.config': '--config defaults to ~/.upsget.conf',
  }),
  ...stated(3, '4 Options, 8', {
    'ups.option.mqtt-port': '--mqtt-port defaults to 1883',
    'ups.option.trapper-port': '--trapper-port defaults to 10051',
  }),
];

const sequence = [
  ...stated(3, '4 Web UI', {
    'ups.web.status-first': 'the first request is /status, which redirects to login when unauthenticated',
    'ups.web.by-id-only': 'alreadyLoggedOn is found by element id, not by text',
    'ups.web.shown-no-login': 'a status page with value_DeviceStatus needs no login',
    'ups.web.form-tokens': 'formtoken, formtokenid and the value of the login button are read from the form',
    'ups.web.login-post': 'POST /j_security_check does not follow redirects',
    'ups.web.login-success': 'a redirect to /status is success',
    'ups.web.login-failure': 'a redirect to /logon is an authentication failure',
    'ups.web.locale-read': 'the original locale is the lang attribute of the html element',
    'ups.web.locale-english': 'when the locale is not English, POST /setLocale newLocale=en',
    'ups.web.extract': 'each value is found by a regular expression on id=value_...',
    'ups.web.restore': 'after output POST /setLocale with the original locale',
    'ups.web.logoff': 'then request /logoff',
    'ups.json.feeds-sensor': 'JSON output can feed a home-automation command-line sensor',
  }),
  ...stated(3, '4 Web UI', {
    'ups.trapper.sender-stdin': 'trapper sending runs a sender command that reads items from stdin with -i -',
    'ups.trapper.sender-installed': 'the sender command must be installed',
    'ups.mqtt.client-first': 'MQTT prefers a publish command-line client',
    'ups.mqtt.client-fallback': 'MQTT falls back to a client library',
  }),
  ...stated(3, '4 Web UI, 5', {
    'ups.web.logs-off-existing': 'alreadyLoggedOn makes the tool request /logoff and retry',
  }),
];

const credentials = stated(3, '5', {
  'ups.credentials.arguments-first': 'command-line arguments win over the environment',
  'ups.credentials.environment-second': 'UPSGET_IP, UPSGET_USERNAME and UPSGET_PASSWORD win over the config file',
  'ups.credentials.file-third': 'the config file comes last',
  'ups.tls.not-verified': 'TLS certificates are not verified because the product is self-signed',
});

const errors = [
  ...stated(3, '7', {
    'ups.error.no-credentials': 'credentials not specified: message to stderr, exit 1',
    'ups.error.bad-address': 'invalid IP address or host name: message to stderr, exit 1',
    'ups.error.network': 'network failure: message to stderr, exit 1',
    'ups.error.login': 'login failure: message to stderr, exit 1',
    'ups.error.session': 'invalid session: message to stderr, exit 1',
    'ups.error.value-normal': 'value retrieval failed in normal mode: message to stderr, exit 1',
    'ups.error.value-all-items': 'value retrieval failed in all-items mode: warning to stderr, item skipped',
    'ups.error.no-items': 'no items retrieved: message to stderr, exit 1',
    'ups.cleanup.always': 'cleanup always runs, also on error: restore the locale, then log off',
    'ups.cleanup.exceptions': 'exceptions in cleanup are ignored',
  }),
  ...stated(3, '7', {
    'ups.error.trapper': 'trapper sender failure: message to stderr, exit 1',
    'ups.error.mqtt': 'MQTT publish failure: message to stderr, exit 1',
    'ups.error.mqtt-missing': 'MQTT tools not installed: message to stderr, exit 1',
  }),
];

const limits = [
  ...stated(3, '8', {
    'ups.limit.request-30s': 'the HTTP request timeout is 30 seconds',
    'ups.limit.session-900s': 'processing finishes within the product session timeout of 900 seconds',
  }),
  ...stated(3, '5, 8', {
    'ups.limit.one-session': 'the product admits one session, its web UI is unavailable while the tool runs',
  }),
  ...stated(3, '1, 9', {
    'ups.target.1-4-0': 'the target product version is 1.4.0',
  }),
  ...stated(3, '9', {
    'ups.target.changed-ids': 'a product upgrade that changes the element ids can break extraction',
  }),
];

export const ups: readonly Requirement[] = [
  ...output,
  ...items,
  ...options,
  ...sequence,
  ...credentials,
  ...errors,
  ...limits,
];
