// Where findings of followed logs go: names, hosts and sessions each to their own, sessions under the router that wrote them.
import { expect, test } from 'vitest';
import type { SettingsDocument } from '#hub/base/settings/document.ts';
import { emptySettings, type Settings } from '#hub/base/settings/schema.ts';
import { type ApplyFindingsOptions, createApplyFindings } from '#hub/collect/data-sources/apply-findings.ts';
import type { HostFinding, NameFinding, SessionFinding } from '#hub/collect/data-sources/findings.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { keepAll } from '../../../support/no-marks.ts';

type Router = Settings['routers'][number];
const router = (id: string, ip: string, hostName: string | null, kind: Router['kind'] = 'vendor_a') =>
  ({ id, ip, hostName, kind }) as Router;
const first = router('first', '192.168.1.1', 'rtx-one');
const second = router('second', '192.168.1.2', null);
const other = router('other', '192.168.1.3', 'switch', 'vendor_b');

/** What was done, in its order, in a home with these routers. */
function startScene(routers: readonly Router[]) {
  const done: [what: string, given: unknown][] = [];
  const note = (what: string) => async (given: unknown) => void done.push([what, given]);
  const settings = { current: () => ({ ...emptySettings(), routers }) } as unknown as SettingsDocument;
  const clock = new ManualClock();
  const apply = createApplyFindings({
    ...{ clock, settings, marks: keepAll, record: note('record'), devices: { reportHosts: note('report') } },
    enrichment: { ready: Promise.resolve(), noteNames: note('names'), hostNames: { note: note('hosts') } },
  } as unknown as ApplyFindingsOptions);
  return { done, apply, clock };
}

const session: SessionFinding = {
  ...{ kind: 'session', sender: null, proto: 'TCP', src: '192.168.1.9', sport: 5, dst: '203.0.113.9', dport: 443 },
  durationMs: null,
};
const name: NameFinding = { kind: 'name', address: '203.0.113.9', name: 'a.example' };
const host: HostFinding = { kind: 'host', address: '192.168.1.9', mac: null, name: 'desk' };

test('each kind of finding goes to its own, and nobody is told of none', async () => {
  const { done, apply, clock } = startScene([first]);
  const now = clock.now();
  await apply('dns', []);
  expect(done).toEqual([]);
  await apply('dns', [name]);
  await apply('dhcp', [host]);
  expect(done.splice(0)).toEqual([
    ['names', [name]],
    ['hosts', [host]],
    ['report', [host]],
  ]);
  const { kind: _kind, sender: _sender, durationMs: _duration, ...seen } = session;
  const observations = [
    { ...seen, ttl: null, startedAt: now, at: now },
    { ...seen, ttl: null, startedAt: now - 7000, at: now },
  ];
  await apply('inspect', [session, name, host, { ...session, durationMs: 7000 }]);
  expect(done).toEqual([
    ['names', [name]],
    ['hosts', [host]],
    ['report', [host]],
    ['record', { routerId: 'first', kind: 'vendor_a', observations, now }],
  ]);
});

test.each<[home: string, routers: Router[], sender: string | null, found: string[]]>([
  ['one that is not named', [other, first], null, ['first']],
  ['one, by another name', [first], 'somebody', ['first']],
  ['two, by an address', [first, second], '192.168.1.2', ['second']],
  ['two, by a name', [second, first], 'rtx-one', ['first']],
  ['two that are not named', [first, second], null, []],
  ['two, by another name', [first, second], 'somebody', []],
  ['two, by one of another kind', [first, second, other], 'switch', []],
  ['none of its kind', [other], 'switch', []],
])('the router of a session among %s', async (_home, routers, sender, found) => {
  const { done, apply } = startScene(routers);
  await apply('inspect', [{ ...session, sender }]);
  expect(done.map(([, given]) => (given as { routerId: string }).routerId)).toEqual(found);
});

test('sessions of two routers are recorded apart', async () => {
  const { done, apply } = startScene([first, second]);
  const from = (sender: string) => ({ ...session, sender });
  await apply('inspect', [from('rtx-one'), from('192.168.1.2'), from('rtx-one'), from('nobody')]);
  const counts = done.map(([, given]) => {
    const { routerId, observations } = given as { routerId: string; observations: unknown[] };
    return [routerId, observations.length];
  });
  expect(counts).toEqual([
    ['first', 2],
    ['second', 1],
  ]);
});
