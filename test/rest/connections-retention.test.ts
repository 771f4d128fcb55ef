// What is older than the retention leaves the log, hour by hour; everything younger stays as it was.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pruneConnections } from '#hub/record/connections/upkeep/prune.ts';
import { type ConnectionLog, hour, noon, openConnectionLog, seen } from '../support/connection-log.ts';
import { eventually } from '../support/eventually.ts';
import { startLab } from '../support/lab.ts';

const day = 24 * hour;
let log: ConnectionLog;

beforeEach(() => {
  log = openConnectionLog();
});
afterEach(() => log[Symbol.asyncDispose]());

/** Flows and hours that are left. */
async function left(query: Record<string, string> = {}) {
  const { connections, total } = await log.list({ limit: '1000', ...query });
  const { flow_hour: hours = [] } = log.contents();
  return { dsts: connections.map(({ dst }) => dst).sort(), total, hours: hours.length };
}

describe('retention of the connection log', () => {
  it('leaves of an older window only the beginnings of flows that stay: they are still known', async () => {
    const early = { from: String(noon - 9.5 * day), to: String(noon - 8.5 * day) };
    const start = { from: String(noon - 10.5 * day), to: String(noon - 9.5 * day) };
    for (const at of [noon - 10 * day, noon - 9 * day, noon]) {
      await log.record([seen({ at })]);
    }
    await pruneConnections(log.db, noon - 7 * day);
    expect(await left(early)).toMatchObject({ total: 0 });
    expect(await left(start)).toMatchObject({ total: 1 });
  });

  it('lets a batch that waits in between, and stops when told to without losing its place', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => seen({ dport: index, at: noon - 9 * day }));
    await log.record([...many, seen()]);
    const stop = new AbortController();
    const pruning = pruneConnections(log.db, noon - 7 * day, stop.signal);
    const recorded = log.record([seen({ dst: '203.0.113.10' })]).then(() => stop.abort(new Error('the hub stops')));
    await expect(pruning).rejects.toThrow('the hub stops');
    await recorded;
    const { total, hours } = await left();
    expect(total).toBeGreaterThan(2);
    expect(hours).toBeGreaterThanOrEqual(2);
    await pruneConnections(log.db, noon - 7 * day);
    expect(await left()).toMatchObject({ total: 2, hours: 2 });
  });

  it('keeps when an address was first seen: it is not new when it comes back', async () => {
    await log.record([seen({ at: noon - 40 * day })]);
    await pruneConnections(log.db, noon - 7 * day);
    await log.record([seen()]);
    const { newDestinations } = await log.ask('newNodes', { from: String(noon - day), to: String(noon) });
    expect(newDestinations).toEqual([]);
  });
});

describe('a hub', () => {
  it('removes flows older than the 730 days it keeps by default', async () => {
    await using lab = await startLab({ routers: { a: { kind: 'vendor_a', sessions: 50 } } });
    const total = async () => (await lab.as.admin.connections.list({ query: { limit: '1' } })).total;
    const { id } = lab.routers.a;
    expect(await total()).toBe(50);
    await lab.as.admin.routers.update({ params: { id }, body: { enabled: false } });
    await lab.skip(729 * day);
    await lab.advance(hour);
    expect(await total()).toBe(50);
    await lab.skip(day);
    await lab.advance(hour);
    await eventually(total, (left) => (left === 0 ? true : undefined));
  });
});
