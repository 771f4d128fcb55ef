// What the simulated feeds list: rows as their publishers have them, standing ones and any number of made-up ones.
import { z } from 'zod';

const instant = z.int().min(0);
const word = z.string().max(2000);

/** One row of each feed; what is left out is what such a row mostly says. Instants are epoch milliseconds. */
export const rowSchemas = {
  c2: z.strictObject({
    ip: word,
    port: z.int().min(0).max(65_535),
    online: z.boolean().default(true),
    /** The start of the day is printed; when it was listed, when absent. */
    lastOnlineAt: instant.optional(),
    malware: word.default('QakBot'),
  }),
  ioc: z.strictObject({
    value: word,
    type: z.enum(['ip:port', 'domain', 'url', 'sha256_hash']).default('ip:port'),
    threat: z.enum(['botnet_cc', 'payload_delivery', 'payload', 'cc_skimming']).default('botnet_cc'),
    malware: word.default('ExampleRAT'),
    confidence: z.int().min(0).max(100).default(100),
    compromised: z.boolean().default(false),
  }),
  url: z.strictObject({
    url: word,
    online: z.boolean().default(true),
    /** When it was added; now, when absent. */
    addedAt: instant.optional(),
    tags: word.default('elf,mips,Mozi'),
  }),
  drop: z.strictObject({ cidr: word, sbl: word.default('SBL999001') }),
  falsePositives: z.strictObject({
    type: z.enum(['ip', 'ip:port', 'domain', 'url']).default('ip'),
    value: word,
    platform: word.default('ThreatFox'),
  }),
} as const;

export type ListName = keyof typeof rowSchemas;
export type Rows = { [N in ListName]: z.output<(typeof rowSchemas)[N]>[] };
export type GivenRows = { [N in ListName]?: readonly z.input<(typeof rowSchemas)[N]>[] };

export const listNames = Object.keys(rowSchemas) as ListName[];

/** Rows with what was left out. Throws, naming what is wrong in a row. */
export function parseRows<N extends ListName>(name: N, given: readonly unknown[]): Rows[N] {
  const parsed = z.array(rowSchemas[name]).safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${name}.${issue?.path.join('.')}: ${issue?.message}`);
  }
  return parsed.data as Rows[N];
}

/** A few rows of each kind, in ranges for documentation (RFC 5737, RFC 3849) and names that cannot be registered. */
export const standingRows: GivenRows = {
  c2: [
    { ip: '203.0.113.44', port: 443 },
    { ip: '198.51.100.17', port: 8080, online: false, malware: 'Emotet' },
  ],
  ioc: [
    { value: '203.0.113.77:8443' },
    { value: 'cdn-update.example', type: 'domain', malware: 'Sample', confidence: 75 },
    { value: '[2001:db8::1]:443', malware: 'Demo', confidence: 90 },
    { value: '203.0.113.78:80', confidence: 25 },
    { value: 'a'.repeat(64), type: 'sha256_hash', threat: 'payload' },
  ],
  url: [
    { url: 'http://203.0.113.120:58801/i' },
    { url: 'https://files.host.example/u/abc/setup.exe', online: false, tags: 'exe' },
  ],
  drop: [{ cidr: '192.0.2.0/24' }, { cidr: '2001:db8:bad::/48', sbl: 'SBL999002' }],
  falsePositives: [{ type: 'domain', value: 'mistake.example' }],
};

/** The longest list of made-up rows. */
export const mostEntries = 200_000;

/** The first of `count` made-up rows of a list, always the same: addresses of 198.18.0.0/15 (RFC 2544), then names. */
export function* madeUpRows(name: ListName, count: number): Generator<unknown> {
  for (let index = 0; index < count; index += 1) {
    const ip = `198.${18 + ((index >> 16) & 1)}.${(index >> 8) & 255}.${index & 255}`;
    const host = index < 131_072 ? ip : `host-${index}.example`;
    const rows: Record<ListName, unknown> = {
      c2: { ip, port: 1024 + (index % 60_000) },
      ioc: host === ip ? { value: `${ip}:443` } : { value: host, type: 'domain' },
      url: { url: `http://${host}:8080/i` },
      drop: { cidr: `198.${18 + ((index >> 12) & 1)}.${(index >> 4) & 255}.${(index & 15) << 4}/28` },
      falsePositives: { type: 'domain', value: `mistake-${index}.example` },
    };
    yield rows[name];
  }
}
