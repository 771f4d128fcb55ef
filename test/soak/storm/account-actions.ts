// Logins right and wrong, logouts, changes of the password, revocations, API identities.
import { mark, Register } from '../register.ts';
import type { World } from './world.ts';

export async function logIn(world: World): Promise<void> {
  const { model } = world;
  const password = model.password.latest();
  const begunAt = mark();
  const { value } = await world.call('a login', (client) => client.auth.login({ body: { password } }));
  if (value) {
    const active = new Register('a session', true);
    model.sessions.push({ token: value.token, password, begunAt, endedAt: mark(), active });
  }
}

export async function logInWrongly(world: World): Promise<void> {
  const { value } = await world.call('a wrong login', (client) =>
    client.auth.login({ body: { password: world.fresh('wrong password') } }),
  );
  if (value) {
    world.problems.push('a wrong password was let in');
  }
}

export async function logOut(world: World): Promise<void> {
  const session = world.pick(world.model.sessions);
  if (session) {
    const end = session.active.begin(false);
    const { ending } = await world.call('a logout', (client) => client.auth.logout({ body: {} }), session.token);
    end(ending);
  }
}

/** By the holder of the admin token, who has no session of its own. */
export async function revokeSessions(world: World): Promise<void> {
  const begunAt = mark();
  const { ending } = await world.call('ending all sessions', (client) =>
    client.auth.revokeAllSessions({ body: { includeSelf: true } }),
  );
  if (ending === 'acknowledged') {
    world.model.sweeps.push({ begunAt, endedAt: mark(), oldPassword: null });
  } else {
    world.model.perhapsSwept = true;
  }
}

export async function changePassword(world: World): Promise<void> {
  const { password, sweeps } = world.model;
  const currentPassword = password.latest();
  const newPassword = `${world.fresh('storm-passphrase')} ${Math.floor(world.random() * 1e9)}`;
  const revokeOtherSessions = world.chance(0.7);
  const begunAt = mark();
  const end = password.begin(newPassword);
  const { ending, status } = await world.call('changing the password', (client) =>
    client.auth.changePassword({ body: { currentPassword, newPassword, revokeOtherSessions } }),
  );
  // A change whose revocation the database refused has taken place all the same.
  end(ending === 'refused' && (status ?? 0) >= 500 ? 'unknown' : ending);
  if (ending === 'acknowledged' && revokeOtherSessions) {
    sweeps.push({ begunAt, endedAt: mark(), oldPassword: currentPassword });
  } else if (revokeOtherSessions) {
    world.model.perhapsSwept = true;
  }
}

export async function makeIdentity(world: World): Promise<void> {
  const body = { label: world.fresh('identity'), permissions: ['network.read' as const], expiresInMs: 31_536_000_000 };
  const { value } = await world.call('making an identity', (client) => client.auth.createIdentity({ body }));
  if (value) {
    const { id } = value.identity;
    world.model.identities.set(id, { token: value.token, active: new Register(`identity ${id}`, true) });
  }
}

export async function revokeIdentity(world: World): Promise<void> {
  const [id, identity] = world.pick([...world.model.identities]) ?? [];
  if (id !== undefined && identity) {
    const end = identity.active.begin(false);
    const { ending } = await world.call('revoking an identity', (client) =>
      client.auth.revokeIdentity({ params: { id }, body: {} }),
    );
    end(ending);
  }
}
