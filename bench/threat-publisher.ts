// A mirror of all publishers with `ENTRIES` entries in all and 2000 ranges. The list of web addresses is another one
// each time it is asked for, a fiftieth of its entries new; all else stays as it is.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '#kernel/time/clock.ts';
import { c2Csv, dropJson, falsePositivesCsv, iocCsv, urlCsv } from '#simulators/feeds/documents.ts';
import { type GivenRows, type ListName, parseRows, type Rows } from '#simulators/feeds/listing.ts';
import { createZip } from '#simulators/feeds/zip.ts';
import { createRandom } from '#simulators/support/random.ts';

const entries = Number(process.argv[2]);
const random = createRandom(entries);
const now = systemClock.now();
const ip = () => `${random.int(20, 190)}.${random.int(0, 255)}.${random.int(0, 255)}.${random.int(0, 255)}`;
const port = () => random.int(1024, 65_000);
const name = () => `${random.int(0, 1e9).toString(36)}.${random.int(0, 1e6).toString(36)}.example`;
const rowsOf = <N extends ListName>(list: N, rows: GivenRows[N] & object): Rows[N] => parseRows(list, rows);
const many = <T>(count: number, one: () => T) => Array.from({ length: Math.floor(count) }, one);

// Half of what ThreatFox lists that a connection can match are names; most of URLhaus are addresses
// (docs/reference/threat-feeds.md#feeds).
const ioc = () =>
  random.int(0, 1) === 0
    ? { value: name(), type: 'domain' as const }
    : { value: `${ip()}:${port()}`, malware: `Family${random.int(0, 300)}` };
const url = () => ({ url: `http://${random.int(0, 4) === 0 ? name() : ip()}:${port()}/i` });
const urls = many(entries / 2 + entries / 100, url);
const urlList = (from: number) => urlCsv(rowsOf('url', urls.slice(from, from + Math.floor(entries / 2))), now);
const full = iocCsv(rowsOf('ioc', many(entries * 0.4, ioc)), now);

const versions: Readonly<Record<string, Buffer[]>> = {
  '/feodotracker/downloads/ipblocklist.csv': [c2Csv(rowsOf('c2', [{ ip: ip(), port: 443 }]), now)].map(bytes),
  '/threatfox/files/exports/recent.csv': [iocCsv(rowsOf('ioc', many(entries * 0.1, ioc)), now)].map(bytes),
  '/threatfox/files/exports/full.csv.zip': [createZip('full.csv', bytes(full))],
  '/urlhaus/files/exports/recent.csv': [urlList(0), urlList(Math.floor(entries / 100))].map(bytes),
  '/hunting/api/v1/': [
    falsePositivesCsv(
      rowsOf(
        'falsePositives',
        many(1000, () => ({ value: ip() })),
      ),
      now,
    ),
  ].map(bytes),
  '/spamhaus/drop/drop_v4.json': [
    dropJson(
      rowsOf(
        'drop',
        many(2000, () => ({ cidr: `${ip().replace(/\d+$/, '0')}/${random.int(18, 24)}` })),
      ),
      now,
    ),
  ].map(bytes),
  '/spamhaus/drop/drop_v6.json': [dropJson(rowsOf('drop', [{ cidr: '2001:db8:bad::/48' }]), now)].map(bytes),
};
const documents = new Map(
  Object.entries(versions).map(([path, bodies]) => [
    path,
    bodies.map((body) => ({ body, etag: `"${createHash('sha256').update(body).digest('hex')}"` })),
  ]),
);
const asked = new Map<string, number>();

const server = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const bodies = documents.get(path) ?? [];
  const times = asked.get(path) ?? 0;
  asked.set(path, times + 1);
  const found = bodies[times % bodies.length];
  if (!found) {
    response.writeHead(404).end();
    return;
  }
  const isKnown = request.headers['if-none-match'] === found.etag;
  response.writeHead(isKnown ? 304 : 200, { etag: found.etag }).end(isKnown ? undefined : found.body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`publisher ready http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);

function bytes(text: string): Buffer {
  return Buffer.from(text);
}
