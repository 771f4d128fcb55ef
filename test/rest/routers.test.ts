// Router records: fields, rules, secrets, tombstones, and detection of unsaved ones.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startRouter } from '#simulators/router/start.ts';
import { recordOf, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

const a = { kind: 'vendor_a' as const, ip: '192.168.10.1', user: 'monitor', pass: 'first secret', enabled: false };
const b = { kind: 'vendor_b' as const, ip: '10.0.0.1', user: 'monitor', pass: 'second secret', enabled: false };

async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => ({ status: 0, code: 'accepted' }),
    (thrown: { status: number; code: string }) => thrown,
  );
  return [error.status, error.code];
}

/** Each body is refused, and no record is made. */
async function areRefused(bodies: readonly Record<string, unknown>[]): Promise<void> {
  await using lab = await startLab();
  const { routers } = lab.as.admin;
  for (const body of bodies) {
    const [status] = await refusal(routers.create({ body: body as never }));
    expect([JSON.stringify(body), status]).toEqual([JSON.stringify(body), 400]);
  }
  expect((await routers.list({})).routers).toEqual([]);
}

verifies(
  'rest.routers.create rest.routers.create-201 rest.routers.kind-closed',
  'creating takes the specified fields and gives defaults; there are two kinds',
  async () => {
    await using lab = await startLab();
    const { routers } = lab.as.admin;
    const created = await routers.create({ body: { ...a, displayName: ' Attic ', nat: 2_147_483_647 } });
    expect(created.router).toMatchObject({
      id: expect.stringMatching(/^vendor-a-[0-9a-f]{8}$/),
      kind: 'vendor_a',
      displayName: 'Attic',
      ip: '192.168.10.1',
      port: 22,
      user: 'monitor',
      nat: '2147483647',
      enabled: false,
      passSet: true,
      enablePassSet: false,
      state: 'disabled',
      ready: false,
    });
    const second = await routers.create({ body: { ...b, displayName: '', enablePass: 'third secret' } });
    expect(second.router).toMatchObject({ kind: 'vendor_b', displayName: 'Cisco IOS', enablePassSet: true });
    expect(second.router).not.toHaveProperty('nat');
    const answer = await lab.as.raw({
      method: 'POST',
      path: '/api/routers',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(a),
    });
    expect(answer.status).toBe(201);
    expect((await routers.list({})).routers).toHaveLength(3);
    await areRefused([
      { ...a, kind: 'vendor_c' },
      { ...a, kind: 'VENDOR_A' },
      { ...a, kind: undefined },
      { ...a, pass: '' },
      { ...a, port: 0 },
      { ...a, id: 'vendor-a-00000000' },
    ]);
  },
);

verifies(
  'rest.routers.field-display-name rest.routers.field-ip rest.routers.field-user',
  'name, address and user are texts within their bounds',
  () =>
    areRefused([
      { ...a, displayName: 5 },
      { ...a, displayName: 'x'.repeat(81) },
      { ...a, displayName: 'line\nbreak' },
      { ...a, ip: 3232238081 },
      { ...a, ip: '8.8.8.8' },
      { ...a, ip: '169.254.1.1' },
      { ...a, ip: 'router.lan' },
      { ...a, ip: '192.168.10.256' },
      { ...a, ip: '0300.0250.1.1' },
      { ...a, ip: '::ffff:8.8.8.8' },
      { ...a, user: '' },
      { ...a, user: 5 },
      { ...a, user: undefined },
    ]),
);

verifies(
  'rest.routers.field-enabled rest.routers.field-nat rest.routers.field-enable-pass',
  'only an enabled record is polled, with the NAT descriptor of vendor_a and the enable password of vendor_b',
  async () => {
    await areRefused([
      { ...a, enabled: 'yes' },
      { ...a, nat: 'abc' },
      { ...a, nat: 2_147_483_648 },
      { ...a, enablePass: 'only vendor_b' },
      { ...b, nat: '100' },
    ]);
    await using lab = await startLab();
    const { routers } = lab.as.admin;
    await using one = await startRouter('vendor_a', { clock: lab.clock, settings: { natDescriptor: 77 } });
    await using two = await startRouter('vendor_b', { clock: lab.clock });
    await using open = await startRouter('vendor_b', { clock: lab.clock, credentials: { privileged: true } });
    const off = await routers.create({ body: recordOf(one, 'one', { enabled: false }) });
    await lab.poll();
    expect([off.router.enabled, one.commands]).toEqual([false, []]);
    await routers.update({ params: { id: off.router.id }, body: { enabled: true } });
    await routers.create({ body: recordOf(two, 'two') });
    await routers.create({ body: recordOf(open, 'three', { enablePass: undefined }) });
    await lab.settled();
    expect((await routers.list({})).routers.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
    expect(one.commands).toContainEqual(expect.stringMatching(/^show nat descriptor address 77\b/));
    const enabled = [two, open].map((router) => router.commands.some((line) => line.startsWith('enable')));
    expect(enabled).toEqual([true, false]);
  },
);

verifies('rest.routers.update rest.routers.pass-kept', 'an update keeps the password that it leaves out', async () => {
  await using lab = await startLab({ routers: { b: 'vendor_b' } });
  const { routers } = lab.as.admin;
  const params = { id: lab.routers.b.id };
  const logins = () => lab.routers.b.journal().filter(({ kind, accepted }) => kind === 'login' && accepted);
  for (const body of [{ displayName: 'Cellar' }, { displayName: 'Attic', pass: '' }]) {
    await routers.update({ params, body: { enabled: false } });
    const before = logins().length;
    const { router } = await routers.update({ params, body: { ...body, enabled: true } });
    expect(router).toMatchObject({ id: params.id, displayName: body.displayName, passSet: true });
    await lab.settled();
    expect(logins().length).toBeGreaterThan(before);
  }
  await lab.restart();
  await lab.settled();
  const [router] = (await lab.as.admin.routers.list({})).routers;
  expect(router).toMatchObject({ displayName: 'Attic', state: 'ready', failure: null });
});

verifies('rest.routers.kind-fixed rest.routers.update-kind-refused', 'only the same kind is accepted', async () => {
  await using lab = await startLab();
  const { routers } = lab.as.admin;
  const { router } = await routers.create({ body: b });
  const params = { id: router.id };
  expect(await refusal(routers.update({ params, body: { kind: 'vendor_a' } }))).toEqual([400, 'router_kind_fixed']);
  const named = { kind: 'vendor_a' as const, displayName: 'Cellar' };
  expect(await refusal(routers.update({ params, body: named }))).toEqual([400, 'router_kind_fixed']);
  expect((await routers.update({ params, body: { kind: 'vendor_b' } })).router.kind).toBe('vendor_b');
  expect((await routers.list({})).routers).toMatchObject([{ kind: 'vendor_b', displayName: router.displayName }]);
});

verifies('rest.routers.update-id-refused rest.routers.id-stable', 'an id stays what it is', async () => {
  await using lab = await startLab();
  const { routers } = lab.as.admin;
  const { router } = await routers.create({ body: { ...b, enablePass: 'third secret' } });
  const params = { id: router.id };
  const changed = await routers.update({ params, body: { displayName: 'Cellar' } });
  expect(changed.router).toMatchObject({ id: router.id, displayName: 'Cellar', enablePassSet: true });
  expect(await refusal(routers.update({ params, body: { id: 'other' } as never }))).toEqual([400, 'invalid_body']);
  expect(await refusal(routers.update({ params, body: {} }))).toEqual([400, 'invalid_body']);
  expect(await refusal(routers.update({ params: { id: 'none' }, body: { enabled: false } }))).toEqual([
    404,
    'not_found',
  ]);
  expect((await routers.update({ params, body: { enablePass: null } })).router.enablePassSet).toBe(false);
  await lab.restart();
  expect((await lab.as.admin.routers.list({})).routers.map(({ id }) => id)).toEqual([router.id]);
});

test('a new address or port needs the password again and forgets the pinned host key', async () => {
  await using lab = await startLab({ routers: { b: 'vendor_b' } });
  const params = { id: lab.routers.b.id };
  const { routers } = lab.as.admin;
  expect((await routers.list({})).routers[0]).toMatchObject({ hostKeyPinned: true });
  expect(await refusal(routers.update({ params, body: { ip: '192.168.1.9' } }))).toEqual([
    400,
    'router_password_required',
  ]);
  expect(await refusal(routers.update({ params, body: { port: 2022 } }))).toEqual([400, 'router_password_required']);
  const moved = await routers.update({ params, body: { ip: '192.168.1.9', pass: 'again', enabled: false } });
  expect(moved.router).toMatchObject({ ip: '192.168.1.9', hostKeyPinned: false, hostName: '', enablePassSet: false });
});

verifies('rest.routers.at-most-10', 'the eleventh record is refused, enabled or not', async () => {
  await using lab = await startLab();
  const { routers } = lab.as.admin;
  for (let index = 0; index < 10; index += 1) {
    // Nobody listens on port 1 of loopback: those that are enabled are refused at once.
    const enabled = index % 3 === 0;
    await routers.create({ body: { ...(index % 2 ? a : b), ip: `127.0.0.${index + 1}`, port: 1, enabled } });
  }
  for (const enabled of [true, false]) {
    const body = { ...a, ip: '127.0.0.99', port: 1, enabled };
    expect(await refusal(routers.create({ body }))).toEqual([400, 'router_limit']);
  }
  const list = await routers.list({});
  expect([list.routers.length, list.maxRouters]).toEqual([10, 10]);
  await routers.remove({ params: { id: list.routers[0]?.id ?? '' } });
  expect((await routers.create({ body: a })).success).toBe(true);
});

verifies(
  'rest.routers.list rest.routers.read-public-fields rest.routers.read-runtime-status',
  'reading shows runtime status and never a secret; on disk secrets are sealed and private',
  async () => {
    await using lab = await startLab({ routers: { b: 'vendor_b' } });
    await lab.as.admin.routers.create({ body: a });
    const answer = await lab.as.raw({ method: 'GET', path: '/api/routers' });
    const { password, enable } = lab.routers.b.credentials;
    const file = path.join(lab.dataDir, 'monitor.json');
    for (const text of [answer.text, readFileSync(file, 'utf8')]) {
      for (const secret of ['first secret', password, enable ?? 'none set', lab.adminToken]) {
        expect(text).not.toContain(secret);
      }
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.join(lab.dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    const { routers } = await lab.as.admin.routers.list({});
    const { nat: _nat, pass: _pass, ...shown } = { ...a, nat: null };
    expect(routers[1]).toMatchObject({ ...shown, passSet: true, state: 'disabled', ready: false });
    expect(routers[0]).toMatchObject({ state: 'ready', ready: true, lastError: null, complete: true });
    expect(routers[0]?.lastSuccessAt).toBe(lab.clock.now());
    await lab.restart();
    expect((await lab.as.admin.routers.list({})).routers).toHaveLength(2);
  },
);

verifies(
  'rest.routers.delete rest.routers.delete-inactive',
  'a deleted router is gone, and not asked any more',
  async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
    const router = lab.routers.a;
    const { id } = router;
    await lab.poll();
    const tables = () => router.commands.filter((line) => line.startsWith('show')).length;
    const before = tables();
    expect(before).toBeGreaterThan(0);
    expect(await lab.as.admin.routers.remove({ params: { id } })).toEqual({ success: true });
    await lab.poll();
    await lab.restart();
    await lab.poll();
    expect((await lab.as.admin.routers.list({})).routers.map((one) => one.id)).toEqual([lab.routers.b.id]);
    expect(tables()).toBe(before);
    expect(await refusal(lab.as.admin.routers.remove({ params: { id } }))).toEqual([404, 'not_found']);
  },
);

verifies(
  'rest.routers.tombstone-id rest.routers.delete-keeps-history',
  'the history of a deleted router stays under its id, also after a restart and beside its successor',
  async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' } });
    const { id } = lab.routers.a;
    lab.routers.a.flow({ src: '192.168.100.20', dst: '203.0.113.80', dport: 443, proto: 'tcp' });
    await lab.poll();
    await lab.as.admin.routers.remove({ params: { id } });
    await lab.restart();
    const { router } = await lab.as.admin.routers.create({ body: a });
    expect(router.id).not.toBe(id);
    const query = { fDst: '203.0.113.80', limit: '10' };
    const { connections } = await lab.as.admin.connections.list({ query });
    expect(connections).toMatchObject([{ observedBy: [id], source: 'vendor_a' }]);
    const of = async (sourceId: string) =>
      (await lab.as.admin.connections.list({ query: { ...query, sourceKind: 'router', sourceId } })).total;
    expect([await of(id), await of(router.id)]).toEqual([1, 0]);
    expect(readFileSync(path.join(lab.dataDir, 'monitor.json'), 'utf8')).toContain(id);
  },
);

describe('detection of a definition that is not saved', () => {
  verifies(
    'rest.routers.detect-unsaved rest.routers.detect-lan-nat',
    'LAN, NAT and host key are found, nothing stored',
    async () => {
      await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
      const { routers } = lab.as.admin;
      const before = (await routers.list({})).routers.length;
      const foundA = await routers.detect({ body: recordOf(lab.routers.a, 'x', { nat: '1' }) });
      const descriptor = String(lab.routers.a.settings.natDescriptor);
      expect(foundA).toMatchObject({
        success: true,
        ssh: { ok: true },
        nat: { ok: true, descriptor, sessionsOk: true },
        lan: { ip: lab.routers.a.settings.lanAddress },
        hostFp: lab.routers.a.hostKey,
        suggested: { nat: descriptor },
      });
      const foundB = await routers.detect({ body: recordOf(lab.routers.b, 'x') });
      expect(foundB).toMatchObject({
        success: true,
        nat: { sessionsOk: true },
        lan: { ip: lab.routers.b.settings.lanAddress },
        os: { ok: true },
        hostName: lab.routers.b.settings.hostName,
        diag: { privilegeError: false, isExpectedOs: true },
      });
      expect((await routers.list({})).routers).toHaveLength(before);
      expect([lab.routers.a.violations, lab.routers.b.violations]).toEqual([[], []]);
    },
  );

  verifies('rest.routers.detect-502', 'an unreachable or refusing router is 502, bad input 400', async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
    const { routers } = lab.as.admin;
    const wrongPassword = recordOf(lab.routers.a, 'x', { pass: 'wrong' });
    await expect(routers.detect({ body: wrongPassword })).rejects.toMatchObject({
      status: 502,
      body: {
        ...{ success: false, code: 'router_detect_failed', diag: { ssh: { ok: false, code: 'authFailed' } } },
        errorFacts: [],
      },
    });
    const closedPort = recordOf(lab.routers.a, 'x', { port: 1 });
    await expect(routers.detect({ body: closedPort })).rejects.toMatchObject({
      status: 502,
      body: {
        diag: { ssh: { ok: false, code: 'connRefused' } },
        errorFacts: [{ code: 'router_unreachable', values: { detail: 'ECONNREFUSED', cause: 'refused' } }],
      },
    });
    const otherKind = { ...recordOf(lab.routers.b, 'x'), kind: 'vendor_a' as const, enablePass: null };
    await expect(routers.detect({ body: otherKind })).rejects.toMatchObject({
      status: 502,
      body: { diag: { failure: 'wrong_vendor' } },
    });
    const unprivileged = recordOf(lab.routers.b, 'x', { enablePass: null });
    await expect(routers.detect({ body: unprivileged })).rejects.toMatchObject({
      ...{ status: 502, message: 'The NAT table cannot be read by this user: enter the enable secret.' },
      body: { success: false, diag: { ssh: { ok: true }, failure: 'privilege', privilegeError: true, natSessions: 0 } },
    });
    expect(await refusal(routers.detect({ body: { ...a, ip: '8.8.8.8' } }))).toEqual([400, 'router_address']);
  });
});

test('a table whose cells run into each other says that it is of a training simulator, in detection and status', async () => {
  await using lab = await startLab();
  const rows = [
    'Pro  Inside global     Inside local       Outside local      Outside global',
    'tcp  209.165.200.227:1024192.168.100.103:1024209.165.201.140:443209.165.201.140:443',
    '---  209.165.200.228   192.168.100.4      ---                ---',
  ];
  await using router = await startRouter('vendor_b', {
    clock: lab.clock,
    replay: { nat: Buffer.from(`${rows.join('\r\n')}\r\n`) },
  });
  const { routers } = lab.as.admin;
  const hint = expect.stringMatching(/run into each other.*training simulator/);
  const found = await routers.detect({ body: recordOf(router, 'x') });
  expect(found.notes).toContainEqual(hint);
  await routers.create({ body: recordOf(router, 'training') });
  await lab.settled();
  const noteFacts = [{ code: 'cells_merged' }];
  expect(found.noteFacts).toEqual(expect.arrayContaining(noteFacts));
  expect((await routers.list({})).routers).toMatchObject([{ notes: [hint], noteFacts }]);
});

describe('a router that was tested before it is added', () => {
  test('has the host key that was shown then: another one is refused at the first poll, and at a second test', async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' } });
    const { routers } = lab.as.admin;
    const { hostFp } = await routers.detect({ body: recordOf(lab.routers.a, 'x') });
    const { router } = await routers.create({ body: recordOf(lab.routers.a, 'seen', { hostFp }) });
    expect(router.hostKeyPinned).toBe(true);
    const other = recordOf(lab.routers.a, 'other', { hostFp: 'a'.repeat(64) });
    await expect(routers.detect({ body: other })).rejects.toMatchObject({
      status: 502,
      body: { diag: { failure: 'host_key_changed', known: 'a'.repeat(64), presented: hostFp } },
    });
    const { router: wrong } = await routers.create({ body: other });
    await lab.settled();
    const found = (await routers.list({})).routers;
    expect(found.find(({ id }) => id === router.id)).toMatchObject({ state: 'ready', hostKeyChange: null });
    expect(found.find(({ id }) => id === wrong.id)).toMatchObject({
      failure: 'host_key_changed',
      hostKeyChange: { known: 'a'.repeat(64), presented: hostFp },
    });
  });
});
