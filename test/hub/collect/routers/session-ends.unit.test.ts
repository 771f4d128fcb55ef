// Which sessions are gone, also when what said so could not be stored.
import { expect, test } from 'vitest';
import { createActivity } from '#hub/collect/routers/activity.ts';
import type { Session } from '#hub/collect/routers/driver.ts';
import { sessionWith } from './tables.ts';

const session = sessionWith({ sport: 1, vrf: 'a|b', ttl: 900 });
const other = { ...session, sport: 2 };
const flow = { proto: 'TCP', src: '192.168.100.2', dst: '203.0.113.80', dport: 443 };
const whole = (to: number) => ({ from: to - 1, to });

test('the first whole table says nothing of single flows; then each session that is missing ends its flow', async () => {
  const activity = createActivity();
  expect((await activity.observe([session, other], whole(1))).ends).toEqual({ at: 1, isAll: true, flows: [] });
  activity.stored();
  const ended = { at: 2, isAll: false, flows: [{ ...flow, isListed: true }] };
  expect((await activity.observe([session], whole(2))).ends).toEqual(ended);
  activity.stored();
  expect((await activity.observe([], whole(3))).ends?.flows).toEqual([{ ...flow, isListed: false }]);
  activity.stored();
  expect((await activity.observe([], whole(4))).ends?.flows).toEqual([]);
});

test('an end that was not stored comes again, after a table that broke off too', async () => {
  const activity = createActivity();
  await activity.observe([session], whole(1));
  expect((await activity.observe([], null)).ends).toBeNull();
  activity.stored();
  expect((await activity.observe([session], whole(2))).ends).toMatchObject({ isAll: true });
  activity.stored();
  await activity.observe([], whole(3));
  expect((await activity.observe([], null)).ends).toBeNull();
  activity.stored();
  expect((await activity.observe([], whole(4))).ends).toMatchObject({ at: 4, flows: [flow] });
});

test('after sessions were forgotten nobody knows which have ended, and when one that is back began', async () => {
  const activity = createActivity();
  const read = async (sessions: Session[], end: { from: number; to: number } | null) => {
    const seen = await activity.observe(sessions, end);
    activity.stored();
    return seen;
  };
  await read([session], whole(1));
  for (let turn = 0; turn < 10; turn += 1) {
    expect((await read([other], null)).observations[0]?.times?.first.from).toBe(0);
  }
  expect((await read([session], null)).observations[0]?.times?.first.from).toBeNull();
  expect((await read([other], whole(2))).ends).toEqual({ at: 2, isAll: true, flows: [] });
  expect((await read([], whole(3))).ends).toMatchObject({ isAll: false, flows: [flow] });
});
