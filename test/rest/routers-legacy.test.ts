// The legacy set-up flow: detect by kind with blanks from the store, and one call that configures and starts.
import { expect } from 'vitest';
import { startMesh } from '#simulators/mesh/access-point.ts';
import { startRouter } from '#simulators/router/start.ts';
import { startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

verifies(
  'rest.routers.nonce',
  'a nonce is of the access point; its failures are 502, a public address 400',
  async () => {
    await using lab = await startLab();
    await using mesh = await startMesh({ clock: lab.clock });
    const { routers } = lab.as.admin;
    const answer = await routers.nonce({ body: { routerIp: mesh.url.host, id: 'kitchen' } });
    expect(answer).toEqual({ nonce: expect.stringMatching(/^[0-9a-f]{32}$/), id: 'kitchen' });
    for (const fault of ['nonce-refused', 'empty-nonce'] as const) {
      mesh.clearFaults();
      mesh.fail(fault);
      await expect(routers.nonce({ body: { routerIp: mesh.url.host } })).rejects.toMatchObject({
        status: 502,
        code: 'upstream_failed',
      });
    }
    await expect(routers.nonce({ body: { routerIp: '8.8.8.8' } })).rejects.toMatchObject({
      status: 400,
      code: 'routerIpPrivate',
    });
    for (const routerIp of ['192.168.1.9:80@example.net', '127.0.0.1:0', '127.0.0.1:70000', '127.0.0.1:8/x']) {
      await expect(routers.nonce({ body: { routerIp } })).rejects.toMatchObject({
        status: 400,
        code: 'routerIpPrivate',
      });
    }
    await expect(routers.nonce({ body: {} })).rejects.toMatchObject({ status: 400 });
  },
);

verifies(
  'rest.routers.vendor-a-detect rest.routers.vendor-b-detect',
  'blank fields fall back to what is stored; without any, the answer says what is missing',
  async () => {
    await using lab = await startLab();
    const { routers } = lab.as.admin;
    await expect(routers.detectVendorA({ body: {} })).rejects.toMatchObject({
      status: 400,
      code: 'vendorADetectMissing',
    });
    await expect(routers.detectVendorB({ body: {} })).rejects.toMatchObject({
      status: 400,
      code: 'vendorBDetectMissing',
    });
    const blocked = { vendorAIp: '1.1.1.1', vendorAUser: 'u', vendorAPass: 'p' };
    await expect(routers.detectVendorA({ body: blocked })).rejects.toMatchObject({
      status: 400,
      code: 'routerIpPrivate',
    });
    await using stored = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b' } });
    const foundA = await stored.as.admin.routers.detectVendorA({ body: { vendorAIp: '', vendorAUser: '' } });
    expect(foundA).toMatchObject({ success: true, hostFp: stored.routers.a.hostKey, nat: { ok: true } });
    const foundB = await stored.as.admin.routers.detectVendorB({ body: {} });
    expect(foundB).toMatchObject({ success: true, hostFp: stored.routers.b.hostKey, os: { ok: true } });
    await expect(stored.as.admin.routers.detectVendorA({ body: { vendorAPass: 'wrong' } })).rejects.toMatchObject({
      status: 502,
      code: 'vendorADetectFailed',
      body: { success: false, diag: { ssh: { ok: false } } },
    });
  },
);

verifies('rest.routers.legacy-login', 'true configures and starts, false disables, absent leaves', async () => {
  await using lab = await startLab();
  await using mesh = await startMesh({ clock: lab.clock });
  const { routers } = lab.as.admin;
  await expect(routers.setUp({ body: {} })).rejects.toMatchObject({ status: 400 });
  await expect(
    routers.setUp({
      body: { doVendorA: true, vendorAIp: '192.168.1.1', vendorAUser: 'u', vendorAPass: 'p', doVendorB: true },
    }),
  ).rejects.toMatchObject({ status: 400 });
  expect((await routers.list({})).routers).toEqual([]);
  const { user, password } = mesh.credentials;
  const meshFields = { doMesh: true, routerIp: mesh.url.host, username: user };
  const vendorA = { doVendorA: true, vendorAIp: '127.0.0.1', vendorAUser: 'u', vendorAPass: 'p', vendorANat: '200' };
  await expect(routers.setUp({ body: { ...meshFields, ...vendorA, password: 'wrong' } })).rejects.toMatchObject({
    status: 401,
    code: 'mesh_login_refused',
  });
  expect((await routers.list({})).routers).toEqual([]);
  const done = await routers.setUp({ body: { ...meshFields, ...vendorA, password } });
  expect(done).toEqual({ success: true, routerIp: mesh.url.host });
  expect((await routers.list({})).routers).toMatchObject([{ kind: 'vendor_a', nat: '200', enabled: true }]);
  expect(await routers.setUp({ body: { doVendorA: false } })).toMatchObject({ success: true });
  expect((await routers.list({})).routers).toMatchObject([{ kind: 'vendor_a', nat: '200', enabled: false }]);
});

verifies('rest.routers.legacy-login', 'a stored router is updated in place and polled', async () => {
  await using lab = await startLab();
  await using b = await startRouter('vendor_b', { clock: lab.clock });
  const { router } = await lab.as.admin.routers.create({
    body: {
      kind: 'vendor_b',
      ip: '127.0.0.1',
      port: Number(b.url.port),
      user: 'someone else',
      pass: 'wrong',
      enabled: false,
    },
  });
  const { user, password, enable } = b.credentials;
  await lab.as.admin.routers.setUp({
    body: { doVendorB: true, vendorBUser: user, vendorBPass: password, vendorBEnablePass: enable ?? '' },
  });
  await lab.settled();
  expect((await lab.as.admin.routers.list({})).routers).toMatchObject([{ id: router.id, state: 'ready' }]);
});
