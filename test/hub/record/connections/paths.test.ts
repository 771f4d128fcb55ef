// What is said of a path: who translates what to what, which address a router had, and whether something beyond translates again.
import { expect, test } from 'vitest';
import { createPaths } from '#hub/record/connections/query/path.ts';
import { hour, noon, openConnectionLog, openReader } from '../../../support/connection-log.ts';

const dst = '198.51.100.7';
const [inner, outer] = ['192.168.1.2', '10.0.0.5'];
const sighting = { dst, dport: 443, proto: 'TCP', at: noon };

async function startScene() {
  await using opened = new AsyncDisposableStack();
  const log = opened.use(openConnectionLog());
  const reader = opened.use(openReader(log));
  await log.record([{ ...sighting, src: inner, sport: 5000 }], { routerId: 'attic', kind: 'vendor_a' });
  await log.record([{ ...sighting, src: '192.168.1.3', sport: 5001 }], { routerId: 'attic', kind: 'vendor_a' });
  await log.record([{ ...sighting, src: outer, sport: 40_000 }], { routerId: 'cellar', kind: 'vendor_b' });
  const run = (sql: string, values: Record<string, unknown>) =>
    log.db.write((writer) => void writer.prepare(sql).run(values as Record<string, string>));
  const flowOf = (src: string) =>
    Number(
      log.db
        .prepare('SELECT f.id FROM flow f JOIN source s ON s.id = f.source_id WHERE s.address = ?')
        .pluck()
        .all(src)[0],
    );
  const observer = '(SELECT id FROM observer WHERE router_id = @router)';
  const held = opened.move();
  return {
    log,
    /** What `router` translated sources to, from `first` to `last`. */
    translates: (router: string, address: string, first = noon, last = noon) =>
      run(
        `INSERT INTO router_address (observer, address, first_seen, last_seen) VALUES (${observer}, @address, @first, @last)`,
        {
          ...{ router, address, first, last },
        },
      ),
    /** The router in the attic is inside, the flow of the one in the cellar is that of `to`. */
    link: (src: string, seenAt: number, beyond: string | null, to = outer) =>
      run(
        `INSERT INTO flow_link (inner_flow, inner_observer, outer_flow, outer_observer, seen_at, sport, port, beyond_address, beyond_port)
         VALUES (@inner, (SELECT id FROM observer WHERE router_id = 'attic'), @outer,
           (SELECT id FROM observer WHERE router_id = 'cellar'), @seenAt, 5000, 40000, @beyond, @port)`,
        { inner: flowOf(src), outer: flowOf(to), seenAt, beyond, port: beyond === null ? null : 50_000 },
      ),
    clear: () => run('DELETE FROM router_address WHERE @all', { all: 1 }),
    async of(src: string, observedBy?: string[]) {
      const { connections } = await log.list({ fSrc: src, fSrcMode: 'exact' });
      const [row] = connections;
      if (row === undefined) {
        throw new Error(`no connection of ${src}`);
      }
      return createPaths(reader).find(flowOf(src), { ...row, observedBy: observedBy ?? row.observedBy });
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const idOf = (src: string) => `${src},${dst},443,TCP`;

test('a connection that no router showed has no path; one router has its port and no place in an order', async () => {
  await using scene = await startScene();
  const none = { state: 'none', hops: [], seenAt: null, doubleNat: 'unknown' };
  expect(await scene.of(inner, [])).toEqual({ ...none, message: 'no router showed this connection' });
  const hop = { routerId: 'attic', name: null, position: null, connections: [idOf(inner)], connectionsTotal: 1 };
  expect(await scene.of(inner)).toEqual({
    ...{ state: 'single', seenAt: null, doubleNat: 'unknown' },
    hops: [{ ...hop, inside: { address: inner, port: 5000 }, outside: null }],
    message: `attic does not show what it translates ${inner} to`,
  });
});

test('the address of a router counts up to two hours before and after it was shown, and when it is one', async () => {
  const outsideOf = async (first: number, last: number) => {
    await using scene = await startScene();
    await scene.translates('attic', '203.0.113.9', first, last);
    return (await scene.of(inner)).hops[0]?.outside?.address ?? null;
  };
  const long = 5 * hour;
  expect(await outsideOf(noon + 2 * hour, noon + long)).toBe('203.0.113.9');
  expect(await outsideOf(noon + 2 * hour + 1, noon + long)).toBeNull();
  expect(await outsideOf(noon - long, noon - 2 * hour)).toBe('203.0.113.9');
  expect(await outsideOf(noon - long, noon - 2 * hour - 1)).toBeNull();
  await using scene = await startScene();
  await scene.translates('cellar', '203.0.113.8');
  await scene.translates('attic', '203.0.113.9');
  const { doubleNat, message } = await scene.of(inner);
  expect({ doubleNat, message }).toEqual({ doubleNat: 'no', message: `attic translates ${inner} to 203.0.113.9` });
  await scene.translates('attic', '203.0.113.10');
  expect((await scene.of(inner)).hops[0]?.outside).toBeNull();
});

test('an outermost address that is private is likely translated again; one that stays as it is is said so', async () => {
  await using scene = await startScene();
  await scene.translates('attic', '100.64.0.9');
  const beyond = ', which is not a public address: another device, which this hub does not read, translates it again';
  const { doubleNat, message } = await scene.of(inner);
  expect({ doubleNat, message }).toEqual({
    doubleNat: 'likely',
    message: `attic translates ${inner} to 100.64.0.9${beyond}`,
  });
  await scene.clear();
  await scene.translates('attic', inner);
  expect(await scene.of(inner)).toMatchObject({
    doubleNat: 'likely',
    message: `attic does not translate ${inner}${beyond}`,
  });
});

test('several routers without an order are named, and judged together', async () => {
  await using scene = await startScene();
  await scene.log.db.write((writer) => {
    writer
      .prepare(
        "INSERT INTO coverage_subject (kind, key, name, cannot_see) VALUES ('router', 'cellar', 'Cellar router', '[]')",
      )
      .run();
  });
  const both = ['attic', 'cellar'];
  const { message, hops, state, seenAt, doubleNat } = await scene.of(inner, both);
  expect({ state, seenAt, doubleNat }).toEqual({ state: 'unknown', seenAt: null, doubleNat: 'unknown' });
  expect(message).toMatch(/^attic and Cellar router show it; their tables do not say in which order/);
  expect(hops.map(({ name, inside, position }) => [name, inside, position])).toEqual([
    [null, { address: inner, port: null }, null],
    ['Cellar router', { address: inner, port: null }, null],
  ]);
  const judged: string[] = [];
  for (const [attic, cellar] of [
    ['10.0.0.1', '10.0.0.2'],
    ['10.0.0.1', '203.0.113.2'],
    ['203.0.113.1', '203.0.113.2'],
  ] as const) {
    await scene.clear();
    await scene.translates('attic', attic);
    expect((await scene.of(inner, both)).doubleNat).toBe('unknown');
    await scene.translates('cellar', cellar);
    judged.push((await scene.of(inner, both)).doubleNat);
  }
  expect(judged).toEqual(['likely', 'unknown', 'no']);
});

test('linked routers stand from the inside to the outside, with the ports of their session', async () => {
  await using scene = await startScene();
  await scene.link(inner, noon + 7, '203.0.113.9');
  const ordered = {
    ...{ state: 'ordered', seenAt: noon + 7, doubleNat: 'seen' },
    message: `attic translates ${inner} to ${outer}, then cellar translates ${outer} to 203.0.113.9: double NAT`,
    hops: [
      {
        ...{ routerId: 'attic', name: null, position: 'inside', connections: [idOf(inner)], connectionsTotal: 1 },
        ...{ inside: { address: inner, port: 5000 }, outside: { address: outer, port: 40_000 } },
      },
      {
        ...{ routerId: 'cellar', name: null, position: 'outside', connections: [idOf(outer)], connectionsTotal: 1 },
        ...{ inside: { address: outer, port: 40_000 }, outside: { address: '203.0.113.9', port: 50_000 } },
      },
    ],
  };
  expect(await scene.of(inner)).toEqual(ordered);
  expect(await scene.of(outer)).toEqual(ordered);
});

test('behind a translation of several connections no address and no port is that of all', async () => {
  await using scene = await startScene();
  await scene.link(inner, noon + 7, null);
  const alone = await scene.of(outer);
  expect(alone).toMatchObject({ doubleNat: 'unknown', hops: [{ outside: { address: outer } }, { outside: null }] });
  expect(alone.message).toBe(
    `attic translates ${inner} to ${outer}, then cellar does not show what it translates ${outer} to`,
  );
  await scene.link('192.168.1.3', noon + 9, null);
  await scene.translates('cellar', '203.0.113.9');
  const several = await scene.of(outer);
  expect(several).toMatchObject({
    ...{ state: 'ordered', doubleNat: 'seen', seenAt: noon + 9 },
    hops: [
      { inside: null, outside: { address: outer, port: null }, connectionsTotal: 2 },
      { inside: { address: outer, port: null }, outside: { address: '203.0.113.9', port: null }, connectionsTotal: 1 },
    ],
    message: `attic translates 2 connections to ${outer}, then cellar translates ${outer} to 203.0.113.9: double NAT`,
  });
  expect(several.hops[0]?.connections.toSorted()).toEqual([idOf(inner), idOf('192.168.1.3')]);
});

test('of routers in an order the outermost alone says whether its address is public', async () => {
  await using scene = await startScene();
  await scene.log.record([{ ...sighting, src: inner }], { routerId: 'cellar', kind: 'vendor_b' });
  await scene.link(inner, noon + 7, '203.0.113.9', inner);
  const { doubleNat, message } = await scene.of(inner);
  const steps = `attic does not translate ${inner}, then cellar translates ${inner} to 203.0.113.9`;
  expect({ doubleNat, message }).toEqual({ doubleNat: 'no', message: steps });
});
