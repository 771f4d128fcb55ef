// The enrichment feature on a database without a hub: before its data is open, with it, and when it is stopped early.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Base } from '#hub/base/feature.ts';
import { createSignals } from '#hub/base/signals.ts';
import { startEnrichmentFeature } from '#hub/identify/enrichment/feature.ts';
import type { Log } from '#kernel/process/log.ts';
import { openConnectionLog, seen } from '../../../support/connection-log.ts';
import { encodeEnrichment, writeEnrichment } from '../../../support/enrichment-files.ts';
import { holdWrites } from '../../../support/held-writes.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const day = 86_400_000;
const [known, other] = ['203.0.113.80', '203.0.113.81'];
const mac = '00:00:5e:00:53:01';
const data = { countries: { '203.0.113.0-203.0.113.255': 'NL' }, vendors: { '00005e': 'Registry' } };
const nothing = { country: null, org: null, lat: null, lon: null, city: null };

/** A log that has seen `known` and one more destination, and the feature with `data`; `isDamaged`: of a file that is cut. */
async function startScene({ isDamaged = false } = {}) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const log = opened.use(openConnectionLog());
  await log.record([seen({ dst: known }), seen({ dst: '203.0.113.82' })]);
  const enrichmentDir = writeEnrichment(folder.path, data);
  if (isDamaged) {
    writeFileSync(path.join(enrichmentDir, 'enrichment.bin.zst'), encodeEnrichment(data).subarray(0, 40));
  }
  const lines: string[] = [];
  const write = (_fields: unknown, text: string) => void lines.push(text);
  const logger = { info: write, warn: write, error: write } as unknown as Log;
  const clock = new ManualClock();
  const signals = createSignals(logger);
  const discovered: (readonly string[])[] = [];
  signals.on('destinationsDiscovered', (addresses) => void discovered.push(addresses));
  const base = { db: log.db, clock, log: logger, signals, options: { enrichmentDir } } as unknown as Base;
  const held = opened.move();
  return {
    ...{ log, clock, lines, discovered },
    start: () => held.use(startEnrichmentFeature(base)),
    row: (address = known) =>
      log.db.prepare('SELECT host, country FROM destination WHERE address = ?').get(address) as object,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

test('before its data is open it knows the names alone; it tells while it describes the log again, and when it is done', async () => {
  await using scene = await startScene();
  const release = holdWrites(scene.log.db);
  const feature = scene.start();
  expect([feature.describe(known), feature.findVendor(mac), feature.vendorData()]).toEqual([null, null, null]);
  expect(feature.localOrigins(known)).toEqual({ facts: nothing, country: null, org: null, place: null });
  const empty = { version: null, error: null, operatorFiles: [], attributions: [], describing: false };
  expect(feature.status?.()).toMatchObject({ enrichmentData: empty });
  const noted = feature.noteNames([{ address: known, name: 'first.example' }]);
  expect(feature.describe(known)).toEqual({ host: 'first.example', ...nothing });
  await feature.ready;
  await new Promise((resolve) => setImmediate(resolve));
  expect(feature.state()).toMatchObject({ version: expect.stringMatching(/^2026-01-01-/), describing: true });
  await release();
  await feature.settled?.();
  await noted;
  expect(feature.state()).toMatchObject({ describing: false, error: null });
  expect(scene.row()).toEqual({ host: 'first.example', country: 'NL' });
  expect(scene.lines).toEqual(['destinations were described by other data']);
  expect(feature.findVendor(mac)).toBe('Registry');
  expect(feature.vendorData()).toEqual({ name: 'makers of network cards', version: feature.state().version });
  // The next start has the same data: there is nothing to describe, and nothing to say.
  const next = scene.start();
  await next.described;
  expect(scene.lines).toHaveLength(1);
});

test('a name that a client resolved is in the row at once, is told once, and waits a day for a new destination', async () => {
  await using scene = await startScene();
  const feature = scene.start();
  await feature.described;
  const names = [known, other].map((address) => ({ address, name: 'cdn.example' }));
  expect(await feature.noteNames(names)).toEqual([known]);
  expect(await feature.noteNames(names)).toEqual([]);
  expect(scene.discovered).toEqual([[known]]);
  expect(scene.row()).toMatchObject({ host: 'cdn.example' });
  expect(feature.describe(other)).toEqual({ ...nothing, host: 'cdn.example', country: 'NL' });
  const { at, until } = scene.log.db.prepare('SELECT at, until FROM destination_answer').get() as Record<
    string,
    number
  >;
  expect([at, until]).toEqual([scene.clock.now(), scene.clock.now() + day]);
  expect(feature.isObserved(known, 'cdn.example')).toBe(true);
  await feature.addAnswers('ptr', [{ address: known, at: 1, until: 2, facts: { host: 'ptr.example' } }]);
  expect(feature.isObserved(known, 'ptr.example')).toBe(false);
  scene.clock.skip(day - 1);
  expect(feature.describe(other)?.host).toBe('cdn.example');
  scene.clock.skip(1);
  expect(feature.describe(other)).toEqual({ ...nothing, host: null, country: 'NL' });
});

test('a host of the home has the maker of its card; one that no log named is not described', async () => {
  await using scene = await startScene();
  const feature = scene.start();
  await feature.ready;
  const [desk, pad] = ['192.168.1.2', '192.168.1.3'];
  feature.hostNames.note([
    { address: desk, mac, name: 'desk' },
    { address: pad, mac: null, name: 'pad' },
  ]);
  const host = { mdnsName: null, deviceId: null };
  expect(feature.describeHost(desk)).toEqual({ ...host, mac, vendor: 'Registry', dnsName: 'desk' });
  expect(feature.describeHost(pad)).toEqual({ ...host, mac: null, vendor: null, dnsName: 'pad' });
  expect(feature.describeHost('192.168.1.4')).toBeNull();
});

test('damaged data is told once, and names are stored all the same', async () => {
  await using scene = await startScene({ isDamaged: true });
  const feature = scene.start();
  await feature.settled?.();
  expect(scene.lines).toEqual(['destinations stay without country and organisation']);
  const state = { version: null, error: expect.stringContaining('enrichment.bin.zst'), describing: false };
  expect(feature.state()).toMatchObject(state);
  expect(await feature.noteNames([{ address: known, name: 'cdn.example' }])).toEqual([known]);
  expect(scene.row()).toEqual({ host: 'cdn.example', country: null });
});

test('a stop before the data is open, or while rows wait to be described, is no failure, and changes nothing more', async () => {
  await using scene = await startScene();
  const early = scene.start();
  await early[Symbol.asyncDispose]?.();
  expect(scene.row()).toEqual({ host: null, country: null });
  const release = holdWrites(scene.log.db);
  const late = scene.start();
  await late.ready;
  await new Promise((resolve) => setImmediate(resolve));
  const stopped = late[Symbol.asyncDispose]?.();
  await release();
  await stopped;
  expect([scene.row(), scene.lines]).toEqual([{ host: null, country: null }, []]);
});

test('rows that cannot be described are told in the log, and the hub goes on', async () => {
  await using scene = await startScene();
  await scene.log.db.write((writer) => void writer.prepare('DROP TABLE enrichment_state').run());
  const feature = scene.start();
  await feature.settled?.();
  expect(scene.lines).toEqual(['destinations could not be described by other data']);
  expect(feature.state()).toMatchObject({ describing: false, error: null });
});
