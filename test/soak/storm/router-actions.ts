// What people do to routers and mesh access points while others do the same, and what routers do meanwhile.
import { isLoopback } from '#kernel/net/address.ts';
import { recordOf } from '../../support/lab.ts';
import { Register } from '../register.ts';
import { findRegister, type RouterModel } from './model.ts';
import type { World } from './world.ts';

const wrongPassword = 'not the password of this router';

export async function addRouter(world: World): Promise<void> {
  const { model } = world;
  const simulator = world.pick(world.routers);
  const name = world.fresh('router');
  const enabled = world.chance(0.8);
  const { ending, value } = await world.call('adding a router', (client) =>
    client.routers.create({ body: recordOf(simulator, name, { enabled }) }),
  );
  if (value) {
    const { id } = value.router;
    const exists = new Register(`the existence of ${id}`, true);
    model.routers.set(id, {
      id,
      exists,
      name: new Register(`the name of ${id}`, name),
      enabled: new Register(`enabled of ${id}`, enabled),
      port: new Register(`the port of ${id}`, Number(simulator.url.port)),
      isRight: new Register(`the password of ${id}`, true),
    });
  } else if (ending === 'unknown') {
    model.perhapsCreated.add(name);
  }
}

export async function editRouter(world: World): Promise<void> {
  const router = chosen(world);
  if (!router) {
    return;
  }
  const { body, begin } = world.pick([rename, toggle, changePassword, move])(world, router);
  const endings = begin();
  const { ending } = await world.call('changing a router', (client) =>
    client.routers.update({ params: { id: router.id }, body }),
  );
  for (const end of endings) {
    end(ending);
  }
}

/** Two people change the same router at once. */
export async function editRouterTwice(world: World): Promise<void> {
  await Promise.all([editRouter(world), editRouter(world)]);
}

export async function removeRouter(world: World): Promise<void> {
  const router = chosen(world);
  if (!router || world.model.routers.size < 3) {
    return;
  }
  const end = router.exists.begin(false);
  const { ending } = await world.call('removing a router', (client) =>
    client.routers.remove({ params: { id: router.id } }),
  );
  end(ending);
}

export async function misbehave(world: World): Promise<void> {
  const router = world.pick(world.routers);
  const fault = world.pick(['truncated', 'stall', 'drop', 'closed-early', 'garbage', 'login-refused', 'hang'] as const);
  const afterBytes = Math.floor(world.random() * 600);
  router.fail(fault, { times: 1, ...(fault === 'login-refused' || fault === 'hang' ? {} : { afterBytes }) });
}

export async function setUpMesh(world: World): Promise<void> {
  const register = findRegister<unknown>(world.model.settings, 'the setting', 'mesh.ip', null);
  if (world.chance(0.35)) {
    const end = register.begin(null);
    const { ending } = await world.call('removing the mesh', (client) =>
      client.routers.setUp({ body: { doMesh: false } }),
    );
    end(ending);
    return;
  }
  const mesh = world.pick(world.meshes);
  const { user: username, password } = mesh.credentials;
  if (world.chance(0.2)) {
    mesh.fail(world.pick(['no-answer', 'login-refused', 'session-lost'] as const), { times: 1 });
  }
  const end = register.begin(mesh.url.host);
  const { ending } = await world.call('setting the mesh up', (client) =>
    client.routers.setUp({ body: { doMesh: true, routerIp: mesh.url.host, username, password } }),
  );
  end(ending);
}

interface Edit {
  body: { displayName?: string; enabled?: boolean; ip?: string; port?: number; pass?: string; enablePass?: string };
  begin(): ReturnType<Register<unknown>['begin']>[];
}

function rename(world: World, { name }: RouterModel): Edit {
  const displayName = world.fresh('renamed');
  return { body: { displayName }, begin: () => [name.begin(displayName)] };
}

function toggle(world: World, router: RouterModel): Edit {
  const enabled = world.chance(0.5);
  return { body: { enabled }, begin: () => [router.enabled.begin(enabled)] };
}

function changePassword(world: World, { isRight, port }: RouterModel): Edit {
  const right = world.chance(0.6);
  const simulator = world.routers.find(({ url }) => Number(url.port) === port.latest());
  const pass = right ? (simulator?.credentials.password ?? wrongPassword) : wrongPassword;
  return { body: { pass }, begin: () => [isRight.begin(right)] };
}

/** To another router of its kind. */
function move(world: World, router: RouterModel): Edit {
  const own = world.routers.find(({ url }) => Number(url.port) === router.port.latest());
  const { url, kind, credentials } = world.pick(world.routers.filter((one) => one.kind === own?.kind));
  const port = Number(url.port);
  if (!isLoopback(url.hostname)) {
    throw new Error('a storm stays on loopback');
  }
  const enable = kind === 'vendor_b' && credentials.enable !== null ? { enablePass: credentials.enable } : {};
  return {
    body: { ip: url.hostname, port, pass: credentials.password, ...enable },
    begin: () => [router.port.begin(port), router.isRight.begin(true)],
  };
}

function chosen({ model, pick }: World): RouterModel | undefined {
  const all = [...model.routers.values()].filter(({ exists }) => exists.latest());
  return all.length === 0 ? undefined : pick(all);
}
