// Which fields of the settings are secrets: they lie sealed in the file, open in memory.
import type { Settings } from './schema.ts';

/** Paths of strings; `*` stands for every element of a list. A null or an empty string is no secret and stays. */
const secretPaths = [
  'auditKey',
  'oidc.clientSecret',
  'mesh.pass',
  'routers.*.pass',
  'routers.*.enablePass',
  'enrichment.geo.token',
  'chat.token',
  'destinations.*.settings.url',
  'destinations.*.settings.secret',
  'destinations.*.settings.password',
  'threat.authKey',
  'threat.keys.rep_a',
  'threat.keys.rep_b',
  'threat.keys.rep_c',
  'agents.pepper',
  'ai.keys.cloud_a',
  'ai.keys.cloud_b',
] as const;

/** The settings with every secret replaced by what `change` makes of it. */
export function mapSecrets(all: Settings, change: (secret: string) => string): Settings {
  return secretPaths.reduce<Settings>((changed, path) => mapPath(changed, path.split('.'), change), all);
}

function mapPath<T>(value: T, [name, ...rest]: readonly string[], change: (secret: string) => string): T {
  if (name === undefined) {
    return typeof value === 'string' && value !== '' ? (change(value) as T) : value;
  }
  if (Array.isArray(value)) {
    return value.map((element) => mapPath(element, rest, change)) as T;
  }
  return typeof value === 'object' && value !== null && name in value
    ? { ...value, [name]: mapPath(value[name as keyof T & string], rest, change) }
    : value;
}
