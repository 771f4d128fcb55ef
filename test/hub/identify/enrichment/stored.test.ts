// Facts in the rows of the log: which source wins, what is described again, and which destinations are due.
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnswerKind, isOnlyPublished, storeAnswers } from '#hub/identify/enrichment/answers.ts';
import type { EnrichmentData } from '#hub/identify/enrichment/embedded/data.ts';
import type { AddressFacts } from '#hub/identify/enrichment/embedded/operator-files.ts';
import { createHostNames } from '#hub/identify/enrichment/host-names.ts';
import { describeAgain } from '#hub/identify/enrichment/re-enrich.ts';
import { findDueAddresses } from '#hub/identify/enrichment/remote/due.ts';
import type { DestinationFacts } from '#hub/record/connections/store/facts.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { writeNewDatabase } from '../../../support/new-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const hourMs = 3_600_000;
const { signal } = new AbortController();
const nothing: AddressFacts = { country: null, org: null, lat: null, lon: null, city: null };
const unknown: DestinationFacts = { host: null, ...nothing };

function openLog() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  writeNewDatabase(file);
  const db = new Db(file);
  return {
    db,
    add: (addresses: readonly string[], host: string | null = null) =>
      db.write((writer) => {
        const insert = writer.prepare('INSERT INTO destination (address, host) VALUES (?, ?)');
        for (const address of addresses) {
          insert.run(address, host);
        }
      }),
    rows: () =>
      db.prepare('SELECT address, host, country, org, lat, lon, city FROM destination ORDER BY id').all() as ({
        address: string;
      } & DestinationFacts)[],
    async [Symbol.asyncDispose]() {
      await db.close();
      folder[Symbol.dispose]();
    },
  };
}

const word = fc.constantFrom(null, 'A', 'B');
const degree = fc.constantFrom(null, 1, 2);
const place = fc.record({ country: word, org: word, lat: degree, lon: degree, city: word });
const answer = fc.record({
  kind: fc.constantFrom<AnswerKind[]>('dns', 'ptr', 'rdap', 'geo'),
  host: word,
  facts: place,
});

test('a row has of each fact what the best source says, whatever came in which order', async () => {
  const isBest = fc.asyncProperty(place, fc.array(answer, { maxLength: 8 }), async (local, answers) => {
    await using log = openLog();
    await log.add(['9.9.9.9']);
    const known = new Map<AnswerKind, DestinationFacts>();
    let row = { ...unknown };
    for (const { kind, host, facts } of answers) {
      known.set(kind, { host, ...facts });
      const [dns, ptr, rdap, geo] = (['dns', 'ptr', 'rdap', 'geo'] as const).map((one) => known.get(one) ?? unknown);
      const located = geo && (geo.lat !== null || geo.city !== null) ? geo : local;
      const next = { ...row };
      next.host = dns?.host ?? ptr?.host ?? row.host;
      next.country = rdap?.country ?? local.country ?? geo?.country ?? row.country;
      next.org = rdap?.org ?? local.org ?? geo?.org ?? row.org;
      if (located.lat !== null) {
        next.lat = located.lat;
        next.lon = located.lon;
      }
      if (located.lat !== null || located.city !== null) {
        next.city = located.city;
      }
      const given = [{ address: '9.9.9.9', at: 1, until: 2, facts: { host, ...facts } }];
      const changed = await storeAnswers(
        log.db,
        kind,
        [...given, { ...given[0], address: '8.8.8.8' } as never],
        () => local,
      );
      expect(changed).toEqual(JSON.stringify(next) === JSON.stringify(row) ? [] : ['9.9.9.9']);
      row = next;
      expect(log.rows()).toEqual([{ address: '9.9.9.9', ...row }]);
    }
  });
  await fc.assert(isBest, { numRuns: 60 });
});

test('a name is only published while no client resolved it', async () => {
  await using log = openLog();
  await log.add(['9.9.9.9', '9.9.9.8']);
  const store = (kind: AnswerKind, host: string) =>
    storeAnswers(log.db, kind, [{ address: '9.9.9.9', at: 1, until: 2, facts: { host } }], () => nothing);
  const is = (address = '9.9.9.9') => isOnlyPublished(log.db, address, 'Name.example');
  expect(is()).toBe(false);
  await store('ptr', 'name.example');
  expect([is(), is('9.9.9.8')]).toEqual([true, false]);
  await store('dns', 'other.example');
  expect(is()).toBe(true);
  await store('dns', 'name.example');
  expect(is()).toBe(false);
});

/** Data that says its version as the country, and as the vendor of every card. */
const createData = (version: string, find = (_address: string) => ({ ...nothing, country: version })) =>
  ({ version, find, dataset: { findVendor: () => version } }) as unknown as EnrichmentData;

test('other data describes every row once, and goes on where it was stopped', async () => {
  await using log = openLog();
  const addresses = Array.from({ length: 1001 }, (_, n) => `9.9.${n >> 8}.${n & 255}`);
  await log.add(addresses);
  await log.db.write((writer) => {
    writer
      .prepare(`INSERT INTO source (address, mac) VALUES ('10.0.0.1', '00:00:5e:00:53:01'), ('10.0.0.2', NULL)`)
      .run();
  });
  const vendors = () => log.db.prepare('SELECT vendor FROM source ORDER BY id').pluck().all();
  const countries = () => log.rows().filter(({ country }) => country === 'CC').length;
  expect(await describeAgain(log.db, createData('AA'), signal)).toEqual({ changed: 1001 });
  expect(await describeAgain(log.db, createData('AA'), signal)).toEqual({ changed: 0 });
  expect(
    await describeAgain(
      log.db,
      createData('BB', () => ({ ...nothing, country: 'AA' })),
      signal,
    ),
  ).toEqual({ changed: 0 });
  expect(vendors()).toEqual(['BB', null]);

  const asked: string[] = [];
  const stop = new AbortController();
  const stopping = createData('CC', (address) => {
    asked.push(address);
    if (asked.length === 600) {
      stop.abort(new Error('the hub stops'));
    }
    return { ...nothing, country: 'CC' };
  });
  await expect(describeAgain(log.db, stopping, stop.signal)).rejects.toThrow('the hub stops');
  expect([asked.length, countries()]).toEqual([1000, 1000]);
  expect(await describeAgain(log.db, stopping, signal)).toEqual({ changed: 1 });
  expect([asked, vendors()]).toEqual([addresses, ['CC', null]]);
});

test('a destination is due when it is public, was active in a day, and has no answer that holds', async () => {
  await using log = openLog();
  const now = 100 * 24 * hourMs;
  const many = Array.from({ length: 260 }, (_, n) => `9.8.${n >> 8}.${n & 255}`);
  const special = ['10.0.0.1', '9.9.9.1', '9.9.9.2', '9.9.9.3', '9.9.9.4', '9.9.9.5', '9.9.9.6'];
  await log.add([...many, ...special]);
  await log.add(['9.9.9.7', '9.9.9.8'], 'named.example');
  await log.db.write((writer) => {
    writer.prepare("INSERT INTO observer VALUES (1, 'router-1', 'vendor_a', 'Hall')").run();
    writer.prepare("INSERT INTO observer_set VALUES (1, '1')").run();
    writer.prepare("INSERT INTO source (id, address) VALUES (1, '192.168.1.2')").run();
    writer
      .prepare(
        `INSERT INTO flow (source_id, destination_id, dport, proto, first_seen, last_seen, observer_set_id)
         SELECT 1, id, 443, 'TCP', 1, @since - iif(address = '9.9.9.1', 1, 0), 1 FROM destination`,
      )
      .run({ since: now - 24 * hourMs });
  });
  const give = (kind: AnswerKind, address: string, until: number) =>
    storeAnswers(log.db, kind, [{ address, at: 1, until, facts: {} }], () => nothing);
  await give('ptr', '9.9.9.2', now);
  await give('ptr', '9.9.9.3', now + 1);
  await give('rdap', '9.9.9.4', now + 1);
  await give('ptr', '9.9.9.8', now - 1);
  const due = async (kind: 'ptr' | 'rdap') => {
    const found: string[] = [];
    for await (const address of findDueAddresses(log.db, kind, now)) {
      found.push(address);
    }
    return found;
  };
  const rest = many.toReversed();
  expect(await due('ptr')).toEqual(['9.9.9.8', '9.9.9.6', '9.9.9.5', '9.9.9.4', '9.9.9.2', ...rest]);
  expect(await due('rdap')).toEqual(['9.9.9.8', '9.9.9.7', '9.9.9.6', '9.9.9.5', '9.9.9.3', '9.9.9.2', ...rest]);
});

const [one, two] = ['00:00:5e:00:53:01', '00:00:5e:00:53:02'];

test.each([
  ['a name that came without a card', [null, 'n'], [one, null], [one, 'n']],
  ['a card that came without a name', [one, null], [null, 'n'], [one, 'n']],
  ['the same card', [one, 'n'], [one, null], [one, 'n']],
  ['another name', [one, 'n'], [one, 'm'], [one, 'm']],
  ['another card', [one, 'n'], [two, null], [two, null]],
  ['nothing new', [one, 'n'], [null, null], [one, 'n']],
])('of a host in the home %s is known', (_what, before, after, known) => {
  const clock = new ManualClock();
  const names = createHostNames(clock);
  for (const [mac = null, name = null] of [before, after]) {
    names.note([{ address: '192.168.1.2', mac, name }]);
  }
  const [mac, name] = known;
  expect(names.get('192.168.1.2')).toEqual({ address: '192.168.1.2', mac, name });
  clock.skip(24 * hourMs - 1);
  expect(names.get('192.168.1.2')).toBeDefined();
  clock.skip(1);
  expect(names.get('192.168.1.2')).toBeUndefined();
});
