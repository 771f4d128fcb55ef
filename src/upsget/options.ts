// Parses the command line. Pure.
import { parseArgs } from 'node:util';
import { UsageError } from './failure.ts';
import { parseFingerprint } from './fingerprint.ts';
import { items } from './items.ts';
import { limits } from './limits.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

const itemFlags = Object.fromEntries(items.map(({ name }) => [name, flag]));
const known = {
  json: flag,
  'json-typed': flag,
  prometheus: flag,
  nut: flag,
  all: flag,
  output: text,
  'mqtt-send': text,
  'mqtt-topic': { ...text, default: 'upsget/ups' },
  'mqtt-port': text,
  'mqtt-user': text,
  'mqtt-password': text,
  mqtts: flag,
  'mqtts-ca': text,
  qos: { ...text, default: '0' },
  retain: flag,
  'ha-discovery': flag,
  'trapper-send': text,
  'trapper-host': text,
  'trapper-port': text,
  polite: flag,
  timeout: text,
  'tls-fingerprint': text,
  'tls-trust-first': flag,
  'tls-legacy': flag,
  watch: text,
  snapshot: text,
  mask: { ...text, multiple: true, default: [] as string[] },
  config: text,
  help: { ...flag, short: 'h' },
  version: { ...flag, short: 'V' },
} as const;

export type Output = 'items' | 'json' | 'prometheus' | 'nut';

export interface MqttOptions {
  broker: string;
  port: number;
  topic: string;
  user: string | null;
  password: string | null;
  tls: boolean;
  caFile: string | null;
  qos: 0 | 1 | 2;
  retain: boolean;
  discovery: boolean;
}

export interface TrapperOptions {
  server: string;
  port: number;
  /** null: the address of the UPS. */
  host: string | null;
}

export interface Options {
  /** HOST, USER and PASSWORD; empty ones are absent. */
  ip: string | undefined;
  username: string | undefined;
  password: string | undefined;
  /** Names of the values to print, in the order of `items`. */
  selected: readonly string[];
  /** null: nothing is printed, the values are only sent. */
  output: Output | null;
  outputFile: string | null;
  typed: boolean;
  all: boolean;
  mqtt: MqttOptions | null;
  trapper: TrapperOptions | null;
  polite: boolean;
  requestMs: number;
  fingerprint: string | null;
  trustFirst: boolean;
  tlsLegacy: boolean;
  watchMs: number | null;
  snapshot: { folder: string; masks: readonly string[] } | null;
  config: string | null;
}

type Values = ReturnType<typeof parsed>['values'];

/** Throws a UsageError (exit 2). Addresses are validated later (exit 1). */
export function parseOptions(argv: readonly string[]): Options | 'help' | 'version' {
  const { values, positionals } = parsed(argv);
  if (values.help) {
    return 'help';
  }
  if (values.version) {
    return 'version';
  }
  if (positionals.length > 3) {
    throw new UsageError(
      `there are ${positionals.length} arguments, but only HOST, USER and PASSWORD; quote those with spaces`,
    );
  }
  const [ip, username, password] = positionals.map((one) => one || undefined);
  const mqtt = parseMqttOptions(values);
  const trapper = parseTrapperOptions(values);
  const selected = items.map(({ name }) => name).filter((name) => (values as Record<string, unknown>)[name] === true);
  if (values['tls-trust-first'] && values['tls-fingerprint'] !== undefined) {
    throw new UsageError('--tls-fingerprint and --tls-trust-first exclude each other');
  }
  if (values.mask.length > 0 && values.snapshot === undefined) {
    throw new UsageError('--mask belongs to --snapshot');
  }
  return {
    ip,
    username,
    password,
    selected: selected.length > 0 ? selected : ['load'],
    output: chooseOutput(values, mqtt !== null || trapper !== null),
    outputFile: requireNonEmpty('output', values.output) ?? null,
    typed: values['json-typed'],
    all: values.all,
    mqtt,
    trapper,
    polite: values.polite,
    requestMs: parseWhole('timeout', values.timeout, 1, limits.requestMs / 1000, limits.requestMs / 1000) * 1000,
    fingerprint: parseFingerprintOption(values['tls-fingerprint']),
    trustFirst: values['tls-trust-first'],
    tlsLegacy: values['tls-legacy'],
    watchMs: values.watch === undefined ? null : parseWhole('watch', values.watch, 1, 86_400, 60) * 1000,
    snapshot:
      values.snapshot === undefined
        ? null
        : { folder: requireNonEmpty('snapshot', values.snapshot) ?? '', masks: values.mask },
    config: requireNonEmpty('config', values.config) ?? null,
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: { ...itemFlags, ...known }, allowPositionals: true });
  } catch (error) {
    // parseArgs appends advice to its first sentence.
    throw new UsageError((error as Error).message.split('. ')[0], { cause: error });
  }
}

function chooseOutput(values: Values, sends: boolean): Output | null {
  const formats = (['json', 'prometheus', 'nut'] as const).filter((name) => values[name]);
  if (formats.length > 1) {
    throw new UsageError(`${formats.map((name) => `--${name}`).join(' and ')} exclude each other; run upsget for each`);
  }
  if (formats[0]) {
    return formats[0];
  }
  if (values['json-typed'] || values.all) {
    return sends ? null : 'json';
  }
  return sends ? null : 'items';
}

function parseMqttOptions(values: Values): MqttOptions | null {
  const broker = requireNonEmpty('mqtt-send', values['mqtt-send']);
  const topic = values['mqtt-topic'];
  if (topic === '' || /[+#\0]/.test(topic) || Buffer.byteLength(topic) > 65_535) {
    throw new UsageError('--mqtt-topic takes a topic without the wildcards + and #');
  }
  const usual = values.mqtts ? limits.mqttsPort : limits.mqttPort;
  const port = parseWhole('mqtt-port', values['mqtt-port'], 1, 65_535, usual);
  const qos = parseWhole('qos', values.qos, 0, 2, 0) as 0 | 1 | 2;
  const foreign = (
    [
      ['ha-discovery', values['ha-discovery']],
      ['mqtts', values.mqtts],
      ['retain', values.retain],
    ] as const
  ).find(([, isSet]) => isSet && broker === undefined);
  if (foreign) {
    throw new UsageError(`--${foreign[0]} belongs to --mqtt-send`);
  }
  if (values['mqtts-ca'] !== undefined && !values.mqtts) {
    throw new UsageError('--mqtts-ca belongs to --mqtts');
  }
  return broker === undefined
    ? null
    : {
        broker,
        port,
        topic,
        user: values['mqtt-user'] || null,
        password: values['mqtt-password'] || null,
        tls: values.mqtts,
        caFile: requireNonEmpty('mqtts-ca', values['mqtts-ca']) ?? null,
        qos,
        retain: values.retain,
        discovery: values['ha-discovery'],
      };
}

function parseTrapperOptions(values: Values): TrapperOptions | null {
  const server = requireNonEmpty('trapper-send', values['trapper-send']);
  const port = parseWhole('trapper-port', values['trapper-port'], 1, 65_535, limits.trapperPort);
  return server === undefined ? null : { server, port, host: values['trapper-host'] || null };
}

function parseFingerprintOption(value: string | undefined): string | null {
  const fingerprint = value === undefined ? null : parseFingerprint(value);
  if (value !== undefined && fingerprint === null) {
    throw new UsageError(
      '--tls-fingerprint takes a SHA-256 fingerprint: 64 hexadecimal digits, with or without colons',
    );
  }
  return fingerprint;
}

/** Throws for an empty value. */
function requireNonEmpty(name: string, value: string | undefined): string | undefined {
  if (value === '') {
    throw new UsageError(`--${name} is empty`);
  }
  return value;
}

function parseWhole(name: string, value: string | undefined, min: number, max: number, absent: number): number {
  if (value === undefined) {
    return absent;
  }
  const number = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new UsageError(`--${name} takes a whole number from ${min} to ${max}, not "${value}"`);
  }
  return number;
}
