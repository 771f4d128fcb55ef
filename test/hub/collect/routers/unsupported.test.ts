// Rows that are whole but of a form this program does not read: counted and shown, and no reason to mistrust the table.
import { describe, expect, test } from 'vitest';
import { createActivity } from '#hub/collect/routers/activity.ts';
import type { RouterKind } from '#hub/collect/routers/driver.ts';
import { startRouter } from '#simulators/router/start.ts';
import { recordOf, startLab } from '../../../support/lab.ts';
import { kinds } from './polls.ts';
import { readTable, sessionWith } from './tables.ts';

const head: Record<RouterKind, readonly string[]> = {
  vendor_a: ['Reference Descriptor : 1000, Assigned Interface : LAN2(1)'],
  vendor_b: ['Pro Inside global      Inside local       Outside local      Outside global'],
};

const rowOf: Record<RouterKind, (port: number) => string> = {
  vendor_a: (port) => `UDP 192.168.100.2.${port} 192.0.2.179.123 60000 281`,
  vendor_b: (port) => `udp 203.0.113.24:60000 192.168.100.2:${port} 192.0.2.179:123 192.0.2.179:123`,
};

const unsupported: Record<RouterKind, readonly string[]> = {
  vendor_a: [
    'TCP 192.168.100.2.5000-5010 *.*.*.*.* 5000-5010 static',
    'TCP 2001:db8::2.51000 2001:db8:1::80.443 60001 600',
    'TCP 192.168.100.2.51000 203.0.113.86.https 60001 600',
    'UDP 192.168.100.2.domain *.*.*.*.* domain static',
  ],
  vendor_b: [
    'tcp 203.0.113.24:5000-5010 192.168.100.2:5000-5010 --- ---',
    'tcp [2001:db8::24]:51000 [2001:db8::2]:51000 [2001:db8:1::80]:443 [2001:db8:1::80]:443',
    'udp 2001:DB8::24 2001:DB8::2 2001:DB8:1::80 2001:DB8:1::80',
    'tcp 203.0.113.24:51000 192.168.100.2:51000 203.0.113.86:www 203.0.113.86:www',
  ],
};

const tableOf = (kind: RouterKind, rows: readonly string[]) => readTable(kind, [...head[kind], ...rows]);

describe.each(kinds)('%s', (kind) => {
  test.each(unsupported[kind])('%s: left out, the table is whole', (row) => {
    const table = tableOf(kind, [rowOf[kind](1), row, rowOf[kind](2)]);
    expect(table).toMatchObject({ complete: true, unparsed: { count: 0 }, unsupported: { count: 1, samples: [row] } });
    expect(table.sessions).toHaveLength(2);
  });

  test.each(['never understood', 'damaged'])(
    'what is remembered stays bounded with a row that is always %s',
    async (what) => {
      const row = unsupported[kind][0] ?? '';
      const { sessions, complete } = tableOf(kind, [rowOf[kind](1), what === 'damaged' ? row.slice(0, 40) : row]);
      expect(complete).toBe(what !== 'damaged');
      const activity = createActivity();
      const session = sessionWith(sessions[0]);
      const fresh = 2000;
      let most = 0;
      for (let poll = 0; poll < 200; poll += 1) {
        const table = Array.from({ length: fresh }, (_, index) => ({ ...session, sport: poll * fresh + index }));
        await activity.observe(table, complete ? { from: 0, to: 0 } : null);
        activity.stored();
        most = Math.max(most, activity.kept());
      }
      expect(most).toBeLessThanOrEqual(fresh * (what === 'damaged' ? 12 : 1));
    },
  );
});

test('a router shows its unsupported rows apart from damaged ones, with an example and a note', async () => {
  await using lab = await startLab();
  const table = [...head.vendor_b, rowOf.vendor_b(1), ...unsupported.vendor_b, 'tcp 203.0.113.24:60178 192.168.1'];
  await using router = await startRouter('vendor_b', {
    clock: lab.clock,
    replay: { nat: Buffer.from(`${table.join('\r\n')}\r\n`) },
    credentials: { privileged: true },
  });
  await lab.as.admin.routers.create({ body: recordOf(router, 'one') });
  await lab.settled();
  const [shown] = (await lab.as.admin.routers.list({})).routers;
  expect(shown).toMatchObject({
    state: 'ready',
    sessionCount: 1,
    complete: false,
    unparsed: { count: 1, samples: ['tcp 203.0.113.24:60178 192.168.1'] },
    unsupported: { count: 4, samples: unsupported.vendor_b },
    notes: expect.arrayContaining([expect.stringMatching(/^4 rows of the NAT table .*not supported/)]),
    noteFacts: expect.arrayContaining([{ code: 'rows_not_supported', rows: 4 }]),
  });
});
