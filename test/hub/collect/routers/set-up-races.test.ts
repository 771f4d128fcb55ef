// The legacy set-up while others change what it is based on: it waits for the login of the access point.
import { expect, test } from 'vitest';
import { type MeshSimulator, startMesh } from '#simulators/mesh/access-point.ts';
import { startRouter } from '#simulators/router/start.ts';
import { type Lab, recordOf, startLab } from '../../../support/lab.ts';
import { startRelay } from '../../../support/relay.ts';

type Fields = Record<string, string | boolean>;

/** A set-up of the access point and of what `fields` say; `meanwhile` runs during its login there. */
async function setUpSlowly(lab: Lab<never>, mesh: MeshSimulator, fields: Fields, meanwhile: () => Promise<unknown>) {
  await using relay = await startRelay(mesh.url);
  const { user: username, password } = mesh.credentials;
  relay.hold();
  const own = { doMesh: true, routerIp: relay.url.host, username, password };
  const answer = lab.as.admin.routers.setUp({ body: { ...own, ...fields } }).catch((error: unknown) => error);
  await expect.poll(() => relay.sent()).toContain('/login/nonce');
  await meanwhile();
  relay.letGo();
  return await answer;
}

const routersOf = async (lab: Lab<never>) => (await lab.as.admin.routers.list({})).routers;

test('an edit that is made during the login of the access point is kept', async () => {
  await using lab = await startLab();
  await using mesh = await startMesh({ clock: lab.clock });
  await using router = await startRouter('vendor_b', { clock: lab.clock, sessions: 5 });
  const { admin } = lab.as;
  const body = recordOf(router, 'before', { pass: 'wrong', enabled: false });
  const { id } = (await admin.routers.create({ body })).router;
  const change = { displayName: 'after', pass: router.credentials.password };
  const answer = await setUpSlowly(lab, mesh, { doVendorB: true }, () =>
    admin.routers.update({ params: { id }, body: change }),
  );
  expect(answer).toMatchObject({ success: true });
  await lab.settled();
  expect(await routersOf(lab)).toMatchObject([{ id, displayName: 'after', state: 'ready' }]);
});

test.each([{ doVendorB: true }, { doVendorB: false }])(
  'with %o and the router removed during the login, the answer is 409 and nothing else is done',
  async (fields) => {
    await using lab = await startLab();
    await using mesh = await startMesh({ clock: lab.clock });
    const { admin } = lab.as;
    const fixed = { ip: '127.0.0.1', port: 1, user: 'u', pass: 'p', enabled: false };
    const a = (await admin.routers.create({ body: { kind: 'vendor_a', nat: '100', ...fixed } })).router;
    const b = (await admin.routers.create({ body: { kind: 'vendor_b', ...fixed } })).router;
    const both = { doVendorA: true, vendorANat: '200', ...fields };
    const answer = await setUpSlowly(lab, mesh, both, () => admin.routers.remove({ params: { id: b.id } }));
    expect(answer).toMatchObject({ status: 409, code: 'settings_changed' });
    expect(await routersOf(lab)).toMatchObject([{ id: a.id, nat: '100', enabled: false }]);
    expect(await admin.mesh.network({})).toMatchObject({ state: 'off' });
  },
);

test('credentials that were left blank are those that were tried, or the answer is 409', async () => {
  await using lab = await startLab();
  await using mesh = await startMesh({ clock: lab.clock });
  await using relay = await startRelay(mesh.url);
  const { setUp } = lab.as.admin.routers;
  const { user: username, password } = mesh.credentials;
  await setUp({ body: { doMesh: true, routerIp: relay.url.host, username, password } });
  await lab.settled();
  const asked = relay.sent().length;
  relay.hold();
  const blank = setUp({ body: { doMesh: true } }).catch((error: unknown) => error);
  await expect.poll(() => relay.sent().slice(asked)).toContain('/login/nonce');
  await setUp({ body: { doMesh: false } });
  relay.letGo();
  expect(await blank).toMatchObject({ status: 409, code: 'settings_changed' });
  expect(await lab.as.admin.mesh.network({})).toMatchObject({ state: 'off' });
});
