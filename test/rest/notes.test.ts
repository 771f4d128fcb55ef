// Notes: written, kept, attached to devices, moved by nothing but the device itself, drafted.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { composeNotes } from '#hub/identify/notes/composition.ts';
import { parseNoteKey } from '#hub/identify/notes/note-key.ts';
import { clipText } from '#kernel/text/clip.ts';
import { readEvents } from '../support/event-reader.ts';
import { holdWrites } from '../support/held-writes.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { openLan } from '../support/lan.ts';
import { verifies } from '../support/verifies.ts';

const refused = (status: number, code: string) => expect.objectContaining({ status, code });
const getNoteFile = (lab: Pick<Lab<never>, 'dataDir'>) => path.join(lab.dataDir, '.monitor.notes.json');
const ip = '192.168.100.7';

async function idAt(lab: Lab<'a'>, address = ip): Promise<string> {
  const { devices } = await lab.as.admin.devices.list({});
  return devices.find((device) => device.ip === address)?.deviceId ?? 'none';
}

async function startWithHosts(): Promise<Lab<'a'>> {
  const lab = await startLab({ routers: { a: 'vendor_a' } });
  await lab.poll();
  return lab;
}

describe('a note', () => {
  verifies(
    'rest.notes.list rest.notes.attached rest.devices.notes',
    'is attached to the device named by id, address or MAC, and shown with it',
    async () => {
      await using lab = await startWithHosts();
      const { notes, devices } = lab.as.admin;
      const deviceId = await idAt(lab);
      const mac = '00-00-5E-00-53-05';
      for (const target of [{ deviceId }, { ip }, { mac }, { ip, mac }, { key: deviceId }, { key: `${ip}|${mac}` }]) {
        const note = `by ${Object.keys(target).join(' ')}`;
        const written = await notes.write({ body: { ...target, note: `  ${note}\n` } });
        expect(written).toEqual({ success: true, deviceId, key: deviceId });
        expect(await notes.list({})).toEqual({ notes: { [deviceId]: note } });
        const shown = (await devices.list({})).devices.find((device) => device.deviceId === deviceId);
        expect(shown).toMatchObject({ note, noteKey: deviceId });
      }
      await lab.restart();
      expect(Object.keys((await lab.as.admin.notes.list({})).notes)).toEqual([deviceId]);
    },
  );

  verifies('rest.notes.write', 'lies in a file of its own, mode 0600; a blank one is deleted', async () => {
    await using lab = await startWithHosts();
    const { notes } = lab.as.admin;
    const deviceId = await idAt(lab);
    await notes.write({ body: { deviceId, note: 'under the stairs' } });
    expect(JSON.parse(readFileSync(getNoteFile(lab), 'utf8'))).toEqual({ [deviceId]: 'under the stairs' });
    expect(statSync(getNoteFile(lab)).mode & 0o777).toBe(0o600);
    await notes.write({ body: { deviceId, note: ' \n ' } });
    expect(await notes.list({})).toEqual({ notes: {} });
    await notes.write({ body: { deviceId } });
    expect(JSON.parse(readFileSync(getNoteFile(lab), 'utf8'))).toEqual({});
  });

  verifies('rest.notes.500', 'has at most 500 characters', async () => {
    await using lab = await startWithHosts();
    const { notes } = lab.as.admin;
    const deviceId = await idAt(lab);
    const longest = 'é'.repeat(500);
    await notes.write({ body: { deviceId, note: longest } });
    await expect(notes.write({ body: { deviceId, note: `${longest}!` } })).rejects.toEqual(
      refused(400, 'invalid_body'),
    );
    expect(await notes.list({})).toEqual({ notes: { [deviceId]: longest } });
  });

  test('that names nothing, or nobody, is refused', async () => {
    await using lab = await startWithHosts();
    const { notes } = lab.as.admin;
    for (const body of [{}, { ip: '' }, { ip: 'den' }, { mac: '00:00' }, { key: '__proto__' }, { key: 'a|b|c' }]) {
      await expect(notes.write({ body: { ...body, note: 'x' } })).rejects.toEqual(refused(400, 'invalid_body'));
    }
    const deviceId = '6f1d2c3b-0000-4000-8000-000000000001';
    await expect(notes.write({ body: { deviceId, note: 'x' } })).rejects.toEqual(refused(404, 'not_found'));
    expect(await notes.list({})).toEqual({ notes: {} });
  });

  verifies('rest.notes.attached', 'for an address nobody has waits for the device that turns up with it', async () => {
    await using lab = await startWithHosts();
    using reader = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
    const { notes } = lab.as.admin;
    const late = '192.168.100.201';
    expect(await notes.write({ body: { ip: late, note: 'guest' } })).toEqual({
      success: true,
      deviceId: null,
      key: late,
    });
    expect(await notes.list({})).toEqual({ notes: { [late]: 'guest' } });
    expect((await reader.next('notes-update')).data).toEqual({
      changed: { [late]: 'guest' },
      notes: { [late]: 'guest' },
    });
    lab.routers.a.flow({ src: late, dst: '203.0.113.80', dport: 443 });
    await lab.poll();
    const { data } = await reader.next('notes-update');
    const deviceId = await idAt(lab, late);
    expect(data).toEqual({ changed: { [late]: null, [deviceId]: 'guest' }, notes: { [deviceId]: 'guest' } });
    expect(await notes.list({})).toEqual({ notes: { [deviceId]: 'guest' } });
  });

  test('that cannot be saved changes nothing', async () => {
    await using lab = await startWithHosts();
    const { notes } = lab.as.admin;
    const deviceId = await idAt(lab);
    await notes.write({ body: { deviceId, note: 'before' } });
    rmSync(getNoteFile(lab));
    mkdirSync(path.join(getNoteFile(lab), 'in the way'), { recursive: true });
    await expect(notes.write({ body: { deviceId, note: 'after' } })).rejects.toEqual(refused(500, 'save_failed'));
    expect(await notes.list({})).toEqual({ notes: { [deviceId]: 'before' } });
  });
});

test('a note of a device that the database does not know any more is shown, changed and deleted', async () => {
  await using lab = await startLab();
  const deviceId = '6f1d2c3b-0000-4000-8000-000000000001';
  writeFileSync(getNoteFile(lab), JSON.stringify({ [deviceId]: 'in the attic' }));
  await lab.restart();
  const { notes } = lab.as.admin;
  expect(await notes.list({})).toEqual({ notes: { [deviceId]: 'in the attic' } });
  const body = { key: deviceId, note: 'sold' };
  expect(await notes.write({ body })).toEqual({ success: true, deviceId: null, key: deviceId });
  expect(await notes.list({})).toEqual({ notes: { [deviceId]: 'sold' } });
  await notes.write({ body: { deviceId, note: '' } });
  expect(await notes.list({})).toEqual({ notes: {} });
  await expect(notes.write({ body })).rejects.toEqual(refused(404, 'not_found'));
});

test('a damaged file of notes stops the start with a sentence, and is left as it is', async () => {
  await using lab = await startLab();
  writeFileSync(getNoteFile(lab), '{"a": 1}');
  await expect(lab.restart()).rejects.toThrow(/does not hold notes/);
  expect(readFileSync(getNoteFile(lab), 'utf8')).toBe('{"a": 1}');
  writeFileSync(getNoteFile(lab), '{}');
  await lab.restart();
});

test('without an assistant a draft is put together here, fits a note, and is not saved', async () => {
  await using lab = await startWithHosts();
  lab.routers.a.flow({ src: ip, dst: '203.0.113.80', dport: 443 });
  await lab.poll();
  const { notes } = lab.as.admin;
  const { draft, raw, generatedBy } = await notes.draft({ body: { ip } });
  expect(generatedBy).toBe('local');
  expect(draft).toMatch(
    /^laptop-01 \(00:00:5e:00:53:05\)\nFirst seen 2026-03-01, last seen 2026-03-01\.\nTalks most to /,
  );
  expect(draft.length).toBeLessThanOrEqual(500);
  expect(raw).toMatchObject({ ip, mac: '00:00:5e:00:53:05', dnsName: 'laptop-01', lastSeen: lab.clock.now() });
  expect(await notes.draft({ body: { ip } })).toEqual({ draft, raw, generatedBy });
  expect(await notes.list({})).toEqual({ notes: {} });
  for (const wrong of ['203.0.113.9', '127.0.0.1', 'fe80::1', 'den', '']) {
    await expect(notes.draft({ body: { ip: wrong } })).rejects.toEqual(refused(400, 'invalid_body'));
  }
  await expect(notes.draft({ body: { ip: '10.9.9.9' } })).rejects.toEqual(refused(404, 'not_found'));
});

describe('the parts of notes', () => {
  test('a composed note never exceeds what can be saved, nor ends in half a character', () => {
    const own = new Map([
      ['a', 'x'.repeat(498)],
      ['b', '😀'.repeat(100)],
    ]);
    const parts = [{ keep: 'a', dropped: 'b', isCovered: false }];
    const text = composeNotes(own, parts).get('a') ?? '';
    expect(text).toBe(`${'x'.repeat(498)}\n…`);
    expect(composeNotes(own, [])).toEqual(own);
    expect(composeNotes(own, [{ ...parts[0], isCovered: true } as (typeof parts)[0]]).get('a')).toBe('x'.repeat(498));
    const none = new Map();
    expect(composeNotes(none, parts)).toEqual(none);
  });

  test('a text too long is cut between two characters', () => {
    const x = (count: number) => 'x'.repeat(count);
    for (const [given, cut] of [
      [x(500), x(500)],
      [x(501), `${x(499)}…`],
      [`${x(498)}😀`, `${x(498)}😀`],
      [`${x(498)}😀x`, `${x(498)}…`],
      [`${x(497)}😀xx`, `${x(497)}😀…`],
      [`😀${x(499)}`, `😀${x(497)}…`],
    ] as const) {
      expect(clipText(given, limits.note)).toBe(cut);
    }
  });

  test('a save that fails says what the disk said; with nothing to attach none is made', async () => {
    await using lan = openLan();
    expect(await lan.notes.attach()).toBe(false);
    expect(existsSync(lan.noteFile)).toBe(false);
    mkdirSync(path.join(lan.noteFile, 'in the way'), { recursive: true });
    await expect(lan.notes.write({ ip: '192.168.1.5', note: 'grey' })).rejects.toMatchObject({
      code: 'save_failed',
      cause: { code: 'EISDIR' },
    });
    expect(await lan.notes.attach()).toBe(false);
  });

  test('keys are an address, a MAC, or both, in any spelling', () => {
    expect(parseNoteKey('2001:DB8::0001')).toEqual({ ip: '2001:db8::1', mac: null });
    expect(parseNoteKey('0000.5E00.5301')).toEqual({ ip: null, mac: '00:00:5e:00:53:01' });
    expect(parseNoteKey('192.168.1.5|00-00-5E-00-53-01')).toEqual({ ip: '192.168.1.5', mac: '00:00:5e:00:53:01' });
    const both = '192.168.1.5|00:00:5e:00:53:01';
    for (const wrong of ['', 'den', '192.168.1.5|', '|00:00:5e:00:53:01', '192.168.1.5|den', `${both}|`, `${both}|x`]) {
      expect(parseNoteKey(wrong), wrong).toBeNull();
    }
  });

  test('a note that waited is added to what the device has', async () => {
    await using lan = openLan();
    await lan.notes.write({ mac: '00:00:5e:00:53:01', note: 'by the door' });
    await lan.notes.write({ ip: '192.168.1.5', note: 'by the door' });
    await lan.notes.write({ ip: '192.168.1.5', mac: '00:00:5e:00:53:01', note: 'grey' });
    await lan.poll({ arp: [['192.168.1.5', '00:00:5e:00:53:01']] });
    expect(await lan.notes.attach()).toBe(true);
    expect(await lan.notes.attach()).toBe(false);
    expect(Object.values(lan.notes.all())).toEqual(['by the door\ngrey']);
  });
});

describe('while another write is under way', () => {
  const [address, mac] = ['192.168.1.5', '00:00:5e:00:53:01'];

  test('a note that is deleted is not given to its device as an empty one', async () => {
    await using lan = openLan();
    await lan.notes.write({ ip: address, note: 'grey' });
    await lan.poll({ arp: [[address, mac]] });
    const letGo = holdWrites(lan.db);
    const deleted = lan.notes.write({ ip: address, note: '' });
    const attached = lan.notes.attach();
    await letGo();
    await deleted;
    expect(await attached).toBe(false);
    expect(JSON.parse(readFileSync(lan.noteFile, 'utf8'))).toEqual({});
  });

  test('a note goes to the device that its address or id has come to mean', async () => {
    await using lan = openLan();
    const letGo = holdWrites(lan.db);
    const seen = lan.see([{ address, mac }]);
    const written = lan.notes.write({ ip: address, note: 'grey' });
    await letGo();
    await seen;
    const { deviceId } = lan.device(address);
    expect(await written).toEqual({ deviceId, key: deviceId });
    expect(lan.notes.all()).toEqual({ [deviceId]: 'grey' });
    await lan.see([{ address: '192.168.1.6', mac: '00:00:5e:00:53:02' }]);
    const kept = lan.device('192.168.1.6').deviceId;
    const letMerge = holdWrites(lan.db);
    const merged = lan.devices.merge(kept, deviceId);
    const again = lan.notes.write({ deviceId, note: 'blue' });
    await letMerge();
    await merged;
    expect(await again).toEqual({ deviceId: kept, key: kept });
    expect(lan.notes.all()).toEqual({ [kept]: 'blue' });
  });
});

test('a note for an address is for whoever holds it, was there first, or held it last', async () => {
  await using lan = openLan();
  const address = '192.168.1.5';
  const macs = ['00:00:5e:00:53:01', '00:00:5e:00:53:02', '00:00:5e:00:53:03'];
  for (const mac of macs.slice(0, 2)) {
    await lan.poll({ arp: [[address, mac]] });
    await lan.clock.advance(60_000);
  }
  await lan.poll({ arp: [[address, macs[2] ?? '']] }, 'vendor-b-2');
  const [first, second] = macs.map((mac) => lan.device(mac).deviceId);
  expect(lan.notes.deviceAt(address)).toBe(second);
  await lan.db.write((writer) => writer.prepare('UPDATE lease SET until = last_seen + id WHERE until IS NULL').run());
  await lan.db.write((writer) => writer.prepare("DELETE FROM lease WHERE observer_id = 'vendor-b-2'").run());
  expect(lan.notes.deviceAt(address)).toBe(second);
  await lan.notes.write({ ip: address, note: 'grey' });
  expect(lan.notes.all()).toEqual({ [second ?? '']: 'grey' });
  await lan.poll({ arp: [[address, macs[0] ?? '']] });
  expect(lan.notes.deviceAt(address)).toBe(first);
});

test('when the database refuses a change at its end, the file of notes is as it was', async () => {
  await using lan = openLan();
  const [keep, drop] = ['00:00:5e:00:53:01', '00:00:5e:00:53:02'];
  await lan.poll({
    arp: [
      ['192.168.1.5', keep],
      ['192.168.1.6', drop],
    ],
  });
  const { deviceId } = lan.device(keep);
  await lan.devices.merge(deviceId, lan.device(drop).deviceId);
  await lan.notes.write({ deviceId, note: 'before' });
  const run = (sql: string) => lan.db.write((writer) => void writer.prepare(sql).run());
  await run('CREATE TABLE by_test (device INTEGER REFERENCES device (id) DEFERRABLE INITIALLY DEFERRED)');
  await run('CREATE TRIGGER refused AFTER UPDATE ON device BEGIN INSERT INTO by_test VALUES (-1); END');
  for (const note of ['after', '']) {
    await expect(lan.notes.write({ deviceId, note })).rejects.toThrow(/FOREIGN KEY/);
    expect(lan.notes.all()).toEqual({ [deviceId]: 'before' });
    expect(JSON.parse(readFileSync(lan.noteFile, 'utf8'))).toEqual({ [deviceId]: 'before' });
  }
  await run('DROP TRIGGER refused');
  await lan.notes.write({ deviceId, note: 'after' });
  expect(JSON.parse(readFileSync(lan.noteFile, 'utf8'))).toEqual({ [deviceId]: 'after' });
});
