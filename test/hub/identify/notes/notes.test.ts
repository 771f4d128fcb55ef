// Notes without HTTP: which keys are ids, what an event tells, which waiting notes a written one replaces, local drafts.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeLocally } from '#hub/analyse/note-drafts/draft.ts';
import { startNotesFeature } from '#hub/identify/notes/feature.ts';
import { isDeviceId } from '#hub/identify/notes/note-key.ts';
import { openLan } from '../../../support/lan.ts';
import { collectLog } from '../../../support/log-lines.ts';

test('the id of a device is a whole UUID in either case, and nothing else', () => {
  const id = '6f1d2c3b-0a9e-4000-8bcd-00000000000f';
  expect([id, id.toUpperCase()].map(isDeviceId)).toEqual([true, true]);
  const shorter = [...id].map((_, at) => id.slice(0, at) + id.slice(at + 1));
  const longer = [...id, ''].map((_, at) => `${id.slice(0, at)}0${id.slice(at)}`);
  const strange = [...id].map((_, at) => `${id.slice(0, at)}g${id.slice(at + 1)}`);
  expect([...shorter, ...longer, ...strange, ''].filter(isDeviceId)).toEqual([]);
});

test('an event tells what changed; where nothing did there is none, and a failure is logged', async () => {
  await using lan = openLan();
  const { log, lines } = collectLog('error');
  const events: unknown[] = [];
  const folder = { notesFile: lan.noteFile };
  writeFileSync(lan.noteFile, JSON.stringify({ '192.168.1.5': 'grey', '192.168.1.6': 'blue' }));
  const base = { db: lan.db, log, folder, signals: lan.signals } as never;
  const { handlers } = await startNotesFeature(base, { publish: (name, data) => void events.push([name, data]) });
  const write = (ip: string, note: string) => handlers?.notes.write({ body: { ip, note } } as never);
  const changed = async (sightings: { address: string; mac: string }[]) => {
    await lan.see(sightings);
    await lan.db.settled();
    // Publishing follows the write.
    await new Promise((resolve) => setImmediate(resolve));
    return events.splice(0);
  };
  expect(await changed([{ address: '192.168.1.9', mac: '00:00:5e:00:53:09' }])).toEqual([]);
  await write('192.168.1.6', 'blue');
  expect(events).toEqual([]);
  await write('192.168.1.6', '');
  await write('192.168.1.7', 'red');
  expect(events.splice(0)).toEqual([
    ['notes-update', { changed: { '192.168.1.6': null }, notes: { '192.168.1.5': 'grey' } }],
    ['notes-update', { changed: { '192.168.1.7': 'red' }, notes: { '192.168.1.5': 'grey', '192.168.1.7': 'red' } }],
  ]);
  const attached = await changed([{ address: '192.168.1.5', mac: '00:00:5e:00:53:05' }]);
  const { deviceId } = lan.device('192.168.1.5');
  const notes = { [deviceId]: 'grey', '192.168.1.7': 'red' };
  expect(attached).toEqual([['notes-update', { changed: { '192.168.1.5': null, [deviceId]: 'grey' }, notes }]]);
  rmSync(lan.noteFile);
  mkdirSync(path.join(lan.noteFile, 'in the way'), { recursive: true });
  expect(await changed([{ address: '192.168.1.7', mac: '00:00:5e:00:53:07' }])).toEqual([]);
  expect(lines.map(({ msg }) => msg)).toEqual(['a note could not be given to its device']);
});

test('a note for a device replaces those that wait for it, and no others', async () => {
  await using lan = openLan();
  const [own, other] = [
    { address: '192.168.1.5', mac: '00:00:5e:00:53:05' },
    { address: '192.168.1.6', mac: '00:00:5e:00:53:06' },
  ];
  const keys = [own, other].flatMap(({ address, mac }) => [address, mac, `${address}|${mac}`, `10.0.0.1|${mac}`]);
  // The address counts before the MAC.
  const crossed = `${other.address}|${own.mac}`;
  for (const key of [...keys, crossed, '10.0.0.1']) {
    await lan.notes.write({ key, note: key });
  }
  await lan.see([own, other]);
  const { deviceId } = lan.device(own.address);
  await lan.notes.write({ deviceId, note: 'grey' });
  const left = JSON.parse(readFileSync(lan.noteFile, 'utf8')) as object;
  expect(Object.keys(left).sort()).toEqual([...keys.slice(4), crossed, '10.0.0.1', deviceId].sort());
});

const facts = {
  ...{ ip: '192.168.1.5', mac: '00:00:5e:00:53:05', vendor: 'Acme', dnsName: 'desk.lan', mdnsName: 'Desk' },
  ...{ firstSeen: Date.UTC(2026, 1, 28, 23, 59), lastSeen: Date.UTC(2026, 2, 1) },
  topDestinations: [
    { name: 'Example', sessions: 9 },
    { name: 'b.test', sessions: 2 },
  ],
};

test.each([
  ['Desk (Acme)', {}],
  ['desk.lan (00:00:5e:00:53:05)', { mdnsName: null, vendor: null }],
  ['Unnamed device', { mdnsName: null, dnsName: null, vendor: null, mac: null }],
])('a local draft begins with the best name and card: %s', (first, more) => {
  const seen = 'First seen 2026-02-28, last seen 2026-03-01.';
  expect(writeLocally({ ...facts, ...more })).toEqual({
    ...{ draft: `${first}\n${seen}\nTalks most to Example, b.test.`, generatedBy: 'local' },
  });
  const alone = { ...facts, ...more, topDestinations: [] };
  expect(writeLocally(alone).draft).toBe(`${first}\n${seen}\nNo connections are known.`);
});
