// Router records: fields, rules, secrets, tombstones, and detection of unsaved ones.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startRouter } from '#simulators/router/router.ts';
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

verifies(
  'rest.routers.create rest.routers.create-201 rest.routers.field-display-name rest.routers.field-ip rest.routers.field-user rest.routers.field-enabled rest.routers.field-nat rest.routers.field-enable-pass rest.routers.kind-closed',
  'creating takes the specified fields, gives defaults and refuses the rest',
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
    expect(second.router).toMatchObject({ displayName: 'Cisco IOS', enablePassSet: true, enabled: false });
    expect(second.router).not.toHaveProperty('nat');
    const answer = await lab.as.raw({
      method: 'POST',
      path: '/api/routers',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(a),
    });
    expect(answer.status).toBe(201);
    const wrong: Record<string, unknown>[] = [
      { ...a, kind: 'vendor_c' },
      { ...a, ip: '8.8.8.8' },
      { ...a, ip: '169.254.1.1' },
      { ...a, ip: 'router.lan' },
      { ...a, ip: '192.168.10.256' },
      { ...a, ip: '0300.0250.1.1' },
      { ...a, ip: '::ffff:8.8.8.8' },
      { ...a, user: '' },
      { ...a, pass: '' },
      { ...a, nat: 'abc' },
      { ...a, nat: 2_147_483_648 },
      { ...a, port: 0 },
      { ...a, enabled: 'yes' },
      { ...a, displayName: 'x'.repeat(81) },
      { ...a, displayName: 'line\nbreak' },
      { ...a, enablePass: 'only vendor_b' },
      { ...b, nat: '100' },
      { ...a, id: 'vendor-a-00000000' },
    ];
    for (const body of wrong) {
      expect([JSON.stringify(body), (await refusal(routers.create({ body: body as never })))[0]]).toEqual([
        JSON.stringify(body),
        400,
      ]);
    }
    expect((await routers.list({})).routers).toHaveLength(3);
  },
);

verifies(
  'rest.routers.update rest.routers.pass-kept rest.routers.kind-fixed rest.routers.update-kind-refused rest.routers.update-id-refused rest.routers.id-stable',
  'an update keeps kind, id and an omitted password',
  async () => {
    await using lab = await startLab();
    const { routers } = lab.as.admin;
    const { router } = await routers.create({ body: { ...b, enablePass: 'third secret' } });
    const params = { id: router.id };
    const changed = await routers.update({ params, body: { displayName: 'Cellar', kind: 'vendor_b', pass: '' } });
    expect(changed.router).toMatchObject({ id: router.id, displayName: 'Cellar', passSet: true, enablePassSet: true });
    expect(await refusal(routers.update({ params, body: { kind: 'vendor_a' } }))).toEqual([400, 'router_kind_fixed']);
    expect(await refusal(routers.update({ params, body: { id: 'other' } as never }))).toEqual([400, 'invalid_body']);
    expect(await refusal(routers.update({ params, body: {} }))).toEqual([400, 'invalid_body']);
    expect(await refusal(routers.update({ params: { id: 'none' }, body: { enabled: false } }))).toEqual([
      404,
      'not_found',
    ]);
    expect((await routers.update({ params, body: { enablePass: null } })).router.enablePassSet).toBe(false);
    expect((await routers.list({})).routers.map(({ id, kind }) => [id, kind])).toEqual([[router.id, 'vendor_b']]);
  },
);

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
    await routers.create({ body: { ...(index % 2 ? a : b), ip: `192.168.10.${index + 1}` } });
  }
  expect(await refusal(routers.create({ body: a }))).toEqual([400, 'router_limit']);
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
    expect(routers[0]).toMatchObject({ state: 'ready', ready: true, lastError: null, complete: true });
    expect(routers[0]?.lastSuccessAt).toBe(lab.clock.now());
    await lab.restart();
    expect((await lab.as.admin.routers.list({})).routers).toHaveLength(2);
  },
);

verifies(
  'rest.routers.delete rest.routers.delete-inactive rest.routers.tombstone-id rest.routers.delete-keeps-history',
  'a deleted router leaves the configuration, its history stays attributed, its id never comes back',
  async () => {
    await using lab = await startLab({ routers: { a: 'vendor_a' } });
    const { control, id } = lab.routers.a;
    control.flow({ src: '192.168.100.20', dst: '203.0.113.80', dport: 443, proto: 'tcp' });
    await lab.poll();
    expect(await lab.as.admin.routers.remove({ params: { id } })).toEqual({ success: true });
    expect((await lab.as.admin.routers.list({})).routers).toEqual([]);
    expect(await refusal(lab.as.admin.routers.remove({ params: { id } }))).toEqual([404, 'not_found']);
    const { connections } = await lab.as.admin.connections.list({ query: { fDst: '203.0.113.80', limit: '10' } });
    expect(connections).toMatchObject([{ observedBy: [id], source: 'vendor_a' }]);
    await lab.restart();
    expect(readFileSync(path.join(lab.dataDir, 'monitor.json'), 'utf8')).toContain(id);
  },
);

describe('detection of a definition that is not saved', () => {
  verifies(
    'rest.routers.detect-unsaved rest.routers.detect-lan-nat',
    'both kinds: LAN, NAT and host key are found, nothing is stored',
    async () => {
      await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
      const { routers } = lab.as.admin;
      const before = (await routers.list({})).routers.length;
      const foundA = await routers.detect({ body: recordOf(lab.routers.a, 'x', { nat: '1' }) });
      const descriptor = String(lab.routers.a.control.settings.natDescriptor);
      expect(foundA).toMatchObject({
        success: true,
        ssh: { ok: true },
        nat: { ok: true, descriptor, sessionsOk: true },
        lan: { ip: lab.routers.a.control.settings.lanAddress },
        hostFp: lab.routers.a.control.hostKey,
        suggested: { nat: descriptor },
      });
      const foundB = await routers.detect({ body: recordOf(lab.routers.b, 'x') });
      expect(foundB).toMatchObject({
        success: true,
        nat: { sessionsOk: true },
        lan: { ip: lab.routers.b.control.settings.lanAddress },
        os: { ok: true },
        hostName: lab.routers.b.control.settings.hostName,
        diag: { privilegeError: false, isExpectedOs: true },
      });
      expect((await routers.list({})).routers).toHaveLength(before);
      expect([lab.routers.a.control.violations, lab.routers.b.control.violations]).toEqual([[], []]);
    },
  );

  verifies(
    'rest.routers.detect-502',
    'an unreachable or refusing router is 502 with diagnostics, bad input 400',
    async () => {
      await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
      const { routers } = lab.as.admin;
      const wrongPassword = recordOf(lab.routers.a, 'x', { pass: 'wrong' });
      await expect(routers.detect({ body: wrongPassword })).rejects.toMatchObject({
        status: 502,
        body: { success: false, code: 'router_detect_failed', diag: { ssh: { ok: false, code: 'authFailed' } } },
      });
      const closedPort = recordOf(lab.routers.a, 'x', { port: 1 });
      await expect(routers.detect({ body: closedPort })).rejects.toMatchObject({
        status: 502,
        body: { diag: { ssh: { ok: false, code: 'connRefused' } } },
      });
      const otherKind = { ...recordOf(lab.routers.b, 'x'), kind: 'vendor_a' as const, enablePass: null };
      await expect(routers.detect({ body: otherKind })).rejects.toMatchObject({
        status: 502,
        body: { diag: { failure: 'wrong_vendor' } },
      });
      expect(await refusal(routers.detect({ body: { ...a, ip: '8.8.8.8' } }))).toEqual([400, 'router_address']);
    },
  );
});

test('a table whose cells run into each other says that it is of a training simulator, in detection and status', async () => {
  await using lab = await startLab();
  const rows = [
    'Pro  Inside global     Inside local       Outside local      Outside global',
    'tcp  209.165.200.227:1024192.168.100.103:1024209.165.201.140:443209.165.201.140:443',
    '---  209.165.200.228   192.168.100.4      ---                ---',
  ];
  await using router = await startRouter({
    kind: 'vendor_b',
    clock: lab.clock,
    replay: { nat: Buffer.from(`${rows.join('\r\n')}\r\n`) },
  });
  const { routers } = lab.as.admin;
  const hint = expect.stringMatching(/run into each other.*training simulator/);
  const found = await routers.detect({ body: recordOf(router, 'x') });
  expect(found.notes).toContainEqual(hint);
  await routers.create({ body: recordOf(router, 'training') });
  await lab.settled();
  expect((await routers.list({})).routers).toMatchObject([{ notes: [hint] }]);
});
