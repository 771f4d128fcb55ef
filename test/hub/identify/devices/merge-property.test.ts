// Merging is undone exactly: a LAN on which merges come and go, beside a twin on which nobody ever merges.
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Device } from '#contract/devices.ts';
import type { Connection } from '#contract/model.ts';
import { type Lan, openLan } from '../../../support/lan.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { verifies } from '../../../support/verifies.ts';

const hosts = 5;
const findVendor = () => 'Example Works';
const host = fc.nat({ max: hosts - 1 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('poll' as const), who: host, address: host }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('note' as const), who: host, text: fc.constantFrom('x', 'yy', '') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('agent' as const),
      who: fc.integer({ min: 1, max: hosts - 1 }),
      spare: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('merge' as const), who: host, other: host }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('split' as const), who: host }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const toMac = (who: number) => `00:00:5e:00:53:0${who}`;
const toAddress = (which: number) => `192.168.1.${10 + which}`;

/** What is merged into what, and which texts stand behind another one: the whole of the oracle. */
interface Model {
  parent: Map<number, number>;
  /** In the order they were merged. */
  order: number[];
  covered: Set<number>;
  texts: Map<number, string>;
}

function findRoot(model: Model, who: number): number {
  const parent = model.parent.get(who);
  return parent === undefined ? who : findRoot(model, parent);
}

function composeText(model: Model, who: number): string[] {
  const own = model.texts.get(who);
  const children = model.order.filter((one) => model.parent.get(one) === who && !model.covered.has(one));
  return [...(own === undefined ? [] : [own]), ...children.flatMap((one) => composeText(model, one))];
}

/** Device ids of a LAN by host, and back. */
function readNames(lan: Lan): Map<string, number> {
  const all = lan.list({ includeArchived: true });
  const ids = lan.db.prepare(
    'SELECT d.device_id AS id FROM interface i JOIN device d ON d.id = i.device WHERE mac = ?',
  );
  const named = Array.from({ length: hosts }, (_, who) => [(ids.get(toMac(who)) as { id: string }).id, who] as const);
  expect(all.length).toBe(hosts);
  return new Map(named);
}

/** Everything a merge touches, with hosts in place of ids. */
function readView(lan: Lan) {
  const names = readNames(lan);
  const name = (id: string | null) => (id === null ? null : names.get(id));
  return {
    devices: lan
      .list({ includeArchived: true })
      .map(({ deviceId, mergedInto, noteKey, interfaces, ...rest }) => ({
        ...{ ...rest, who: name(deviceId), mergedInto: name(mergedInto), noteKey: name(noteKey) },
        interfaces: [...interfaces].sort((a, b) => (a.mac < b.mac ? -1 : 1)),
      }))
      .sort((a, b) => (a.who ?? 0) - (b.who ?? 0)),
    notes: Object.fromEntries(Object.entries(lan.notes.all()).map(([id, text]) => [name(id), text])),
    connections: lan.connections().map(({ srcDeviceId, ...rest }) => ({ ...rest, srcDevice: name(srcDeviceId) })),
    agents: (
      lan.db
        .prepare('SELECT a.agent_id AS agent, d.device_id AS id FROM device_agent a JOIN device d ON d.id = a.device')
        .all() as { agent: string; id: string }[]
    ).map(({ agent, id }) => [agent, name(id)]),
    candidates: lan
      .candidates('all')
      .map(({ deviceIdA, deviceIdB, score, reasons, status, resolvedAt }) => ({
        pair: [name(deviceIdA), name(deviceIdB)].sort(),
        ...{ score, reasons, status, resolvedAt },
      }))
      .sort((a, b) => (String(a.pair) < String(b.pair) ? -1 : 1)),
  };
}

/** The same change on both LANs; `who` stands for the device it is part of where it is shown. */
async function change(
  lan: Lan,
  one: Step,
  names: Map<string, number>,
  shownAs: (who: number) => number,
): Promise<void> {
  const findId = (who: number) => [...names].find(([, named]) => named === who)?.[0] ?? '';
  if (one.kind === 'poll') {
    const address = toAddress(one.address);
    const leases = [{ address, mac: toMac(one.who), name: `box-${one.who % 2}` }];
    await lan.poll({ arp: [[address, toMac(one.who)]], leases, traffic: [address] });
  } else if (one.kind === 'agent') {
    const mac = one.spare ? `00:00:5e:00:53:1${one.who}` : toMac(one.who);
    await lan.see([{ agentId: `agent-${one.who}`, mac, facts: { mdnsName: `host-${one.who}` } }]);
  } else if (one.kind === 'note') {
    await lan.notes.write({ deviceId: findId(shownAs(one.who)), note: one.text });
  }
}

/** Merges or undoes, where that can be done; the model follows. */
async function decide(lan: Lan, one: Step, names: Map<string, number>, model: Model): Promise<void> {
  const findId = (who: number) => [...names].find(([, named]) => named === who)?.[0] ?? '';
  if (one.kind === 'merge') {
    const [keep, drop] = [findRoot(model, one.who), findRoot(model, one.other)];
    if (keep !== drop) {
      await lan.devices.merge(findId(keep), findId(drop));
      model.parent.set(drop, keep);
      model.order = [...model.order.filter((before) => before !== drop), drop];
      model.covered.delete(drop);
    }
  } else if (one.kind === 'split' && model.parent.has(one.who)) {
    await lan.devices.split(findId(one.who));
    model.parent.delete(one.who);
  } else if (one.kind === 'note') {
    const root = findRoot(model, one.who);
    for (const child of model.order.filter((before) => model.parent.get(before) === root)) {
      model.covered.add(child);
    }
    model.texts.set(root, one.text);
    if (one.text === '') {
      model.texts.delete(root);
    }
  }
}

/** What the twin says of a group of devices, put together naively, is what the merged one must be. */
function expectMerged(merged: Lan, twin: Lan, model: Model): void {
  const [names, twins] = [readNames(merged), readNames(twin)];
  const plain = new Map(twin.list().map((device) => [twins.get(device.deviceId) ?? -1, device]));
  const shown = new Map(merged.list().map((device) => [names.get(device.deviceId) ?? -1, device]));
  const all = Array.from({ length: hosts }, (_, who) => who);
  const roots = all.filter((who) => !model.parent.has(who));
  expect([...shown.keys()].sort()).toEqual(roots);
  for (const root of roots) {
    const parts = all.filter((who) => findRoot(model, who) === root).map((who) => plain.get(who) as Device);
    const device = shown.get(root) as Device;
    expect(device.firstSeen).toBe(Math.min(...parts.map(({ firstSeen }) => firstSeen)));
    expect(device.lastSeen).toBe(Math.max(...parts.map(({ lastSeen }) => lastSeen)));
    expect(device.interfaces.map(({ mac }) => mac).sort()).toEqual(
      parts.flatMap(({ interfaces }) => interfaces.map(({ mac }) => mac)).sort(),
    );
    expect(new Set(device.sourceList)).toEqual(new Set(parts.flatMap(({ sourceList }) => sourceList)));
    const own = plain.get(root);
    const names = parts.flatMap(({ dnsName }) => dnsName ?? []);
    expect(own?.dnsName === null ? (names.length === 0 ? [null] : names) : [own?.dnsName]).toContain(device.dnsName);
    expect(device.note).toBe(composeText(model, root).join('\n') || null);
  }
  const holders = twin.connections().map(({ srcDeviceId }) => findRoot(model, twins.get(srcDeviceId ?? '') ?? -1));
  expect(merged.connections().map(({ srcDeviceId }) => names.get(srcDeviceId ?? ''))).toEqual(holders);
  for (const id of names.keys()) {
    const keys = (rows: Connection[]) => rows.map(({ src, dst, lastSeen }) => `${src} ${dst} ${lastSeen}`).sort();
    const shownWith = merged.connections().filter(({ srcDeviceId }) => srcDeviceId === id);
    expect([id, keys(merged.connectionsOf(id))]).toEqual([id, keys(shownWith)]);
  }
}

verifies(
  'rest.devices.merge',
  `notes, connections and agents are right after merges, undone as though they had not been, and merged again: ${budget(12, 60, 'runs')}`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        await using merged = openLan({ findVendor });
        await using twin = openLan({ findVendor });
        for (const lan of [merged, twin]) {
          const all = Array.from({ length: hosts }, (_, who) => who);
          await lan.poll({ arp: all.map((who) => [toAddress(who), toMac(who)] as const) });
          await lan.see(all.slice(1).map((who) => ({ agentId: `agent-${who}`, mac: toMac(who) })));
        }
        const [names, twins] = [readNames(merged), readNames(twin)];
        const model: Model = { parent: new Map(), order: [], covered: new Set(), texts: new Map() };
        for (const one of steps) {
          for (const lan of [merged, twin]) {
            await lan.clock.advance(60_000);
          }
          await change(merged, one, names, (who) => who);
          await change(twin, one, twins, (who) => findRoot(model, who));
          await decide(merged, one, names, model);
          expectMerged(merged, twin, model);
        }
        const before = readView(merged);
        const undone = [...model.parent];
        for (const [drop] of undone) {
          await merged.devices.split([...names].find(([, who]) => who === drop)?.[0] ?? '');
        }
        expect(readView(merged)).toEqual(readView(twin));
        const again = model.order.filter((drop) => model.parent.has(drop));
        for (const drop of again) {
          const findId = (who: number | undefined) => [...names].find(([, named]) => named === who)?.[0] ?? '';
          await merged.devices.merge(findId(model.parent.get(drop)), findId(drop));
        }
        model.covered.clear();
        expectMerged(merged, twin, model);
        const after = readView(merged);
        expect(after.connections).toEqual(before.connections);
        expect(after.agents).toEqual(before.agents);
      }),
      { seed: 20_260_301, numRuns: runs(12, 60) },
    );
  },
);
