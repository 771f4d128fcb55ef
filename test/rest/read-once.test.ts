// What a request says is decoded once and has one meaning: nothing escaped twice, nothing named twice, nothing packed.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import type { RouteDefinition } from '#kernel/http/route.ts';
import { startLab } from '../support/lab.ts';

test('what is escaped twice is decoded once, in paths and in queries', async () => {
  await using lab = await startLab({ routers: { home: 'vendor_b' } });
  lab.routers.home.flow({ src: '192.168.100.23', dst: '203.0.113.80', dport: 443 });
  await lab.poll();
  const statusOf = async (address: string) => (await lab.as.raw({ method: 'GET', path: address })).status;
  expect(await statusOf('/api/auth/%256dethods')).toBe(404);
  expect(await statusOf('/api/backup/download/..%252fmonitor.db')).toBe(404);
  const found = async (dst: string) => {
    const { body } = await lab.as.raw({ method: 'GET', path: `/api/connections?fDst=${dst}&fDstMode=exact` });
    return (body as { total: number }).total;
  };
  expect([await found('203.0.113%2e80'), await found('203.0.113%252e80')]).toEqual([1, 0]);
});

/** Filters that the contract lets a caller name several times: any of the values is meant. */
const lists = [
  'fSrc',
  'fDst',
  'fDport',
  'fProto',
  'fCountry',
  'fOrg',
  'fTarget',
  'fSrcMac',
  'fDevice',
  'fUnknown',
  'fProcess',
];
const mayRepeat = [...lists, 'fThreat', 'device', 'src', 'srcMac'].sort();

test('a parameter that is given twice is refused, in every query; only filters that are lists take several', async () => {
  await using lab = await startLab();
  const routes: readonly RouteDefinition<unknown>[] = Object.values(api).flatMap((table) => Object.values(table));
  const asked = routes
    .filter(({ method, path: at }) => method === 'GET' && at.startsWith('/api/') && !at.includes(':'))
    .filter(({ path: at }) => !at.startsWith('/api/auth/oidc/'))
    .flatMap(({ path: at, query }) => Object.keys(query?.shape ?? {}).map((name) => ({ at, name })));
  expect(asked.length).toBeGreaterThan(50);
  const taken = new Set<string>();
  for (const { at, name } of asked) {
    const { status, body } = await lab.as.raw({ method: 'GET', path: `${at}?${name}=1&${name}=2` });
    if (status !== 400 || (body as { code: string }).code !== 'invalid_query') {
      taken.add(name);
    }
  }
  expect([...taken].sort()).toEqual(mayRepeat);
});

test('nothing packed is unpacked: neither JSON nor a backup', async () => {
  await using lab = await startLab();
  const { name } = await lab.as.admin.backup.create({ body: {} });
  const send = (to: string, type: string, body: Buffer) =>
    lab.as.raw({ method: 'POST', path: to, headers: { 'content-type': type, 'content-encoding': 'gzip' }, body });
  const packed = gzipSync(readFileSync(path.join(lab.dataDir, 'backups', name)));
  expect(await send('/api/backup/upload', 'application/octet-stream', packed)).toMatchObject({
    ...{ status: 400, body: { code: 'upload_rejected', error: expect.stringMatching(/not an SQLite database/) } },
  });
  expect(await send('/api/backup/create', 'application/json', gzipSync('{}'))).toMatchObject({
    ...{ status: 415, body: { code: 'unsupported_media_type' } },
  });
});
