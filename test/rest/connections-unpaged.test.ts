// The unpaged list over HTTP: one answer read page by page and packed meanwhile, sent packed or plain.
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { connectionList } from '#contract/connections.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { noon, openConnectionLog, seen } from '../support/connection-log.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

/** More than are read at once. */
const count = 4500;

async function fill(lab: Lab<never>): Promise<void> {
  await using db = new Closing(path.join(lab.dataDir, 'monitor.db'));
  const now = lab.clock.now();
  const observations = Array.from({ length: count }, (_, index) =>
    seen({ at: now - (index % 7), src: `10.0.${index >> 8}.${index & 255}`, dst: `203.0.113.${index % 5}` }),
  );
  await recordObservations(db, { routerId: 'vendor-a-1', kind: 'vendor_a', observations, now });
}

class Closing extends Db {
  [Symbol.asyncDispose]() {
    return this.close();
  }
}

async function unpaged(lab: Lab<never>, accepts: string | null, query = '') {
  const headers = { 'x-admin-token': lab.adminToken, ...(accepts === null ? {} : { 'accept-encoding': accepts }) };
  const request = http.get(new URL(`/api/connections?${query}`, lab.url), { headers });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const bytes = await buffer(response);
  const { 'content-encoding': encoding, vary } = response.headers;
  const text = (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  return { encoding, vary, list: connectionList.strict().parse(JSON.parse(text)) };
}

test('an empty log is an empty list, packed and plain', async () => {
  await using lab = await startLab();
  for (const accepts of ['gzip', null]) {
    expect((await unpaged(lab, accepts)).list).toMatchObject({ connections: [], total: 0, truncated: false });
  }
});

test('the list is the same packed and plain, and the headers say which it is', async () => {
  await using lab = await startLab();
  await fill(lab);
  const packed = await unpaged(lab, 'gzip, br');
  expect(packed).toMatchObject({ encoding: 'gzip', vary: expect.stringMatching(/accept-encoding/i) });
  expect(packed.list).toMatchObject({ total: count, truncated: false });
  expect(new Set(packed.list.connections.map(({ src }) => src)).size).toBe(count);
  for (const accepts of [null, 'identity', 'gzip;q=0']) {
    const plain = await unpaged(lab, accepts);
    expect(plain).toMatchObject({ encoding: undefined, vary: expect.stringMatching(/accept-encoding/i) });
    expect(plain.list.connections).toEqual(packed.list.connections);
  }
});

test('in every order its rows are those of the pages, one after the other', async () => {
  await using lab = await startLab();
  await fill(lab);
  for (const order of ['sort=lastSeen&sortDir=asc', 'sort=dst&sortDir=desc', 'sort=org&fDst=203']) {
    const offsets = Array.from({ length: Math.ceil(count / 1000) }, (_, page) => page * 1000);
    const pages = await Promise.all(
      offsets.map((offset) => unpaged(lab, 'gzip', `${order}&limit=1000&offset=${offset}`)),
    );
    const { list } = await unpaged(lab, 'gzip', order);
    expect(list.connections).toHaveLength(count);
    expect(list.connections).toEqual(pages.flatMap((page) => page.list.connections));
  }
});

verifies(
  'rest.connections.unpaged-50000 rest.connections.unpaged-truncated',
  'without limit: 50,000 rows are whole, the 50,001st is said to be missing; offset is ignored',
  async () => {
    await using log = openConnectionLog();
    await log.record(Array.from({ length: 50_000 }, (_, index) => ({ src: `192.168.${index >> 8}.${index & 255}` })));
    const whole = await log.list({ offset: '7' });
    expect(whole).toMatchObject({ total: 50_000, limit: 50_000, offset: 0, truncated: false });
    expect(whole.connections).toHaveLength(50_000);
    await log.record([{ src: '10.0.0.1', at: noon + 1 }]);
    const cut = await log.list();
    expect(cut).toMatchObject({ total: 50_001, limit: 50_000, truncated: true });
    expect(cut.connections).toHaveLength(50_000);
    expect(cut.connections[0]).toMatchObject({ src: '10.0.0.1' });
  },
);
