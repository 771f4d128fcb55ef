// How many notes there may be, and what the live stream sends when they are many.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { readEvents } from '../support/event-reader.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const full = expect.objectContaining({ status: 409, code: 'note_limit' });
const toAddress = (index: number) => `10.1.${Math.floor(index / 250)}.${index % 250}`;

/** Restarts the hub with this many notes of addresses that no device has, and with `others`. */
async function restartWithNotes(
  lab: Lab<'a'>,
  count: number,
  note: string,
  others: Record<string, string> = {},
): Promise<Record<string, string>> {
  const waiting = Array.from({ length: count }, (_, index) => [toAddress(index), note]);
  const notes = { ...others, ...Object.fromEntries(waiting) };
  writeFileSync(path.join(lab.dataDir, '.monitor.notes.json'), JSON.stringify(notes));
  await lab.restart();
  return notes;
}

verifies('rest.notes.limit', 'at the limit notes are changed and deleted, and none is added', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  await lab.poll();
  const stored = await restartWithNotes(lab, limits.notes, 'shelf');
  const { notes, devices } = lab.as.admin;
  const { deviceId } = (await devices.list({})).devices[0] ?? { deviceId: 'none' };
  for (const target of [{ ip: '10.2.0.1' }, { deviceId }]) {
    await expect(notes.write({ body: { ...target, note: 'one more' } })).rejects.toEqual(full);
  }
  expect(await notes.list({})).toEqual({ notes: stored });
  await notes.write({ body: { ip: toAddress(7), note: 'desk' } });
  await notes.write({ body: { ip: toAddress(8), note: '' } });
  await notes.write({ body: { deviceId, note: 'one more' } });
  const { [toAddress(8)]: _deleted, ...others } = stored;
  expect(await notes.list({})).toEqual({ notes: { ...others, [toAddress(7)]: 'desk', [deviceId]: 'one more' } });
  await expect(notes.write({ body: { ip: toAddress(8), note: 'again' } })).rejects.toEqual(full);
});

test('more notes than the limit, of an older version, are read, changed and made fewer', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  const stored = await restartWithNotes(lab, limits.notes + 2, 'shelf');
  const { notes } = lab.as.admin;
  expect(await notes.list({})).toEqual({ notes: stored });
  await notes.write({ body: { ip: toAddress(7), note: 'desk' } });
  for (let index = 0; index < 3; index += 1) {
    await expect(notes.write({ body: { ip: '10.2.0.1', note: 'x' } })).rejects.toEqual(full);
    await notes.write({ body: { ip: toAddress(index), note: '' } });
  }
  await notes.write({ body: { ip: '10.2.0.1', note: 'x' } });
  expect(Object.keys((await notes.list({})).notes)).toHaveLength(limits.notes);
});

test('at the limit, the note that a merged device shows of its part can be changed', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  await lab.poll();
  const { devices } = lab.as.admin;
  const [keep, drop] = (await devices.list({})).devices.map((device) => device.deviceId);
  await devices.merge({ body: { keepId: keep ?? '', dropId: drop ?? '' } });
  await restartWithNotes(lab, limits.notes - 1, 'shelf', { [drop ?? '']: 'of the part' });
  const { notes } = lab.as.admin;
  expect((await notes.list({})).notes).toMatchObject({ [keep ?? '']: 'of the part' });
  await expect(notes.write({ body: { ip: '10.2.0.1', note: 'x' } })).rejects.toEqual(full);
  await notes.write({ body: { deviceId: keep, note: 'of the whole' } });
  expect((await notes.list({})).notes).toMatchObject({ [keep ?? '']: 'of the whole' });
});

test('an event of notes carries what changed, also where all of them are more than the ring holds', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  await restartWithNotes(lab, 2, 'shelf');
  using reader = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
  const { notes } = lab.as.admin;
  await notes.write({ body: { ip: '10.2.0.1', note: 'guest' } });
  const whole = { changed: { '10.2.0.1': 'guest' }, ...(await notes.list({})) };
  expect((await reader.next('notes-update')).data).toEqual(whole);
  await restartWithNotes(lab, 2000, '\u3042'.repeat(limits.note) + 'x'.repeat(limits.note * 2));
  using others = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
  await others.next('ready');
  for (const note of ['changed', '']) {
    await lab.as.admin.notes.write({ body: { ip: toAddress(7), note } });
    expect(await others.next()).toMatchObject({
      event: 'notes-update',
      data: { changed: { [toAddress(7)]: note || null } },
    });
  }
  using back = await readEvents(lab.url, { 'x-admin-token': lab.adminToken, 'last-event-id': others.lastId() });
  expect((await back.next()).event).toBe('ready');
  expect(others.names).toEqual(['ready', 'notes-update', 'notes-update']);
});

test('the list of all notes is in the event up to 64 KiB of JSON, and absent beyond', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  const overhead = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [toAddress(at), '']))).length;
  const spare = limits.liveNotesBytes - overhead(128) - 127 * limits.note;
  await restartWithNotes(lab, 127, 'x'.repeat(limits.note));
  using reader = await readEvents(lab.url, { 'x-admin-token': lab.adminToken });
  for (const [length, isThere] of [
    [spare, true],
    [spare + 1, false],
  ] as const) {
    await lab.as.admin.notes.write({ body: { ip: toAddress(127), note: 'y'.repeat(length) } });
    const { data } = await reader.next('notes-update');
    expect([length, Object.keys(data as object)]).toEqual([length, isThere ? ['changed', 'notes'] : ['changed']]);
  }
});
