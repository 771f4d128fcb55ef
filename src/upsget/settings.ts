// Resolves settings from arguments, environment and configuration file, in this order, before any connection.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Failure, getErrorCode } from './failure.ts';
import { homeFolder } from './files.ts';
import { parseAddress } from './host.ts';
import { type Ini, isMistake, parseIni } from './ini.ts';
import { limits } from './limits.ts';
import type { MqttOptions, Options } from './options.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Settings extends Omit<Options, 'ip' | 'username' | 'password' | 'trapper' | 'config'> {
  host: string;
  port: number;
  username: string;
  password: string;
  trapper: { server: string; port: number; host: string } | null;
}

/** Throws a Failure naming what is missing or wrong. Calls `warn` when other users can read the configuration file. */
export function resolveSettings(options: Options, env: Environment, warn: (text: string) => void): Settings {
  const file = createConfigFile(options.config, warn);
  const first = (argument: string | undefined, variable: string, key: string) =>
    argument || env[variable] || file.value('ups', key);
  const ip = first(options.ip, 'UPSGET_IP', 'ip');
  const username = first(options.username, 'UPSGET_USERNAME', 'username');
  const password = first(options.password, 'UPSGET_PASSWORD', 'password');
  if (!ip || !username || !password) {
    const missing = Object.entries({ ip, username, password }).flatMap(([name, value]) => (value ? [] : [name]));
    throw new Failure(
      `credentials not specified: ${missing.join(', ')} missing; give HOST USER PASSWORD, or set ${missing.map((name) => `UPSGET_${name.toUpperCase()}`).join(', ')}, or write them to section [ups] of ${file.name}${file.state}`,
    );
  }
  const address = parseAddress(ip);
  if (!address) {
    throw new Failure(`${quote(ip)} is not a valid IP address or host name`);
  }
  const { ip: _ip, config: _config, ...rest } = options;
  return {
    ...rest,
    host: address.host,
    port: address.port ?? limits.uiPort,
    username,
    password,
    mqtt: options.mqtt && resolveMqtt(options.mqtt, env, file),
    trapper: options.trapper && {
      server: parseHostOption('--trapper-send', '--trapper-port', options.trapper.server),
      port: options.trapper.port,
      host: checkTrapperHost(options.trapper.host ?? address.host),
    },
  };
}

function resolveMqtt(mqtt: MqttOptions, env: Environment, file: ConfigFile): MqttOptions {
  const user = mqtt.user || env.UPSGET_MQTT_USER || file.value('mqtt', 'username') || null;
  const password = mqtt.password || env.UPSGET_MQTT_PASSWORD || file.value('mqtt', 'password') || null;
  if (password !== null && user === null) {
    throw new Failure('there is an MQTT password but no user; add --mqtt-user');
  }
  if (/[\r\n\0]/.test(`${user}${password}`)) {
    throw new Failure('MQTT user and password must be one line each');
  }
  return { ...mqtt, user, password, broker: parseHostOption('--mqtt-send', '--mqtt-port', mqtt.broker) };
}

function parseHostOption(option: string, portOption: string, text: string): string {
  const address = parseAddress(text);
  if (!address) {
    throw new Failure(`${option}: ${quote(text)} is not a valid IP address or host name`);
  }
  if (address.port !== null) {
    throw new Failure(`${option} takes an address alone; give the port with ${portOption}`);
  }
  return address.host;
}

/** Validates a Zabbix host name: letters, digits, blanks, dots, dashes and underscores, so no IPv6 address. */
function checkTrapperHost(name: string): string {
  if (!/^[\w.\- ]{1,128}$/.test(name) || name.trim() !== name) {
    throw new Failure(
      `${quote(name)} cannot be the host name of trapper items; give the one the server knows with --trapper-host`,
    );
  }
  return name;
}

function quote(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}

interface ConfigFile {
  name: string;
  /** Read on first use: an unneeded file may be invalid. */
  value(section: string, key: string): string | undefined;
  /** A suffix for messages that says why the file could not be read. */
  readonly state: string;
}

function createConfigFile(given: string | null, warn: (text: string) => void): ConfigFile {
  const name = given ?? path.join(homeFolder(), '.upsget.conf');
  let ini: Ini | null = null;
  let state = '';
  return {
    name,
    get state() {
      return state;
    },
    value(section, key) {
      if (!ini) {
        const read = readConfig(name);
        state = read.state;
        ini = read.ini;
        if (process.platform !== 'win32' && read.mode & 0o077 && hasPassword(ini)) {
          warn(`${name} holds a password and others can read it; chmod 600 ${name}`);
        }
      }
      return ini.get(section)?.get(key) || undefined;
    },
  };
}

function readConfig(name: string): { ini: Ini; mode: number; state: string } {
  let text: string;
  let mode: number;
  try {
    text = readFileSync(name, 'utf8');
    mode = statSync(name).mode;
  } catch (error) {
    const reason = getErrorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${getErrorCode(error)}`;
    return { ini: new Map(), mode: 0, state: ` (which ${reason})` };
  }
  const ini = parseIni(text);
  if (isMistake(ini)) {
    throw new Failure(`${name}:${ini.line}: ${ini.message}`);
  }
  return { ini, mode, state: '' };
}

function hasPassword(ini: Ini): boolean {
  return [...ini.values()].some((section) => section.has('password'));
}
