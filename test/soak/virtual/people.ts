// What people and the Agent do in a step: logins, visits, identities, deliveries. What the hub answers to each is judged
// at once; what it must hold afterwards is said to the model.

import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';
import { agentClient, batchOf, observation } from '../../support/agents.ts';
import type { Chance } from '../chance.ts';
import type { Home } from './home.ts';
import { count, type SessionModel } from './model.ts';
import { tickMs } from './plan.ts';
import { createCaller, isLetIn } from './seen.ts';
import { flowKey } from './traffic.ts';

const mostIdentities = 20;

/** Returns sentences about answers that were wrong. */
export async function live(home: Home, chance: Chance): Promise<string[]> {
  const problems: string[] = [];
  const draw = chance.next();
  const session = home.model.sessions.length > 0 ? chance.pick(home.model.sessions) : null;
  if (draw < 0.05) {
    await logIn(home);
  } else if (draw < 0.3 && session) {
    problems.push(...(await visit(home, session)));
  } else if (draw < 0.32 && session) {
    await logOut(home, session);
  } else if (draw < 0.35) {
    await makeIdentity(home, chance);
  }
  return problems;
}

async function logIn({ lab, model }: Home): Promise<void> {
  const { token } = await lab.as.nobody.auth.login({ body: { password: lab.password } });
  model.sessions.push({ token, usedAt: lab.clock.now(), hasEnded: false });
  count(model, 'login');
}

function isValid({ lab, model }: Home, { hasEnded, usedAt }: SessionModel): boolean {
  return !hasEnded && usedAt + model.sessionTtlMs > lab.clock.now();
}

async function visit(home: Home, session: SessionModel): Promise<string[]> {
  const { lab } = home;
  const expected = isValid(home, session);
  const isIn = await isLetIn(lab.url, session.token);
  if (expected && lab.clock.now() - session.usedAt >= 5 * minuteMs) {
    session.usedAt = lab.clock.now();
  }
  return isIn === expected
    ? []
    : [`sessions: a session that is ${expected ? 'valid' : 'over'} is ${isIn ? 'let in' : 'refused'}`];
}

async function logOut(home: Home, session: SessionModel): Promise<void> {
  if (isValid(home, session)) {
    await createCaller(home.lab.url, session.token).auth.logout({ body: {} });
    session.hasEnded = true;
    count(home.model, 'logout');
  }
}

async function makeIdentity({ lab, model }: Home, chance: Chance): Promise<void> {
  const now = lab.clock.now();
  if (model.identities.filter(({ expiresAt }) => expiresAt > now).length < mostIdentities) {
    const expiresInMs = chance.pick([hourMs, 12 * hourMs, dayMs, 3 * dayMs, 9 * dayMs, 25 * dayMs]);
    const body = { label: 'a program', permissions: ['network.read' as const], expiresInMs };
    const { token } = await lab.as.admin.auth.createIdentity({ body });
    model.identities.push({ token, expiresAt: now + expiresInMs });
    count(model, 'api_identity_created');
  }
}

export interface Machine {
  /** The Agent sees connections of its machine in this step. */
  observe(chance: Chance): void;
  /** Delivers what it has seen and not delivered yet. Rejects when the hub does not take it. */
  deliver(): Promise<void>;
}

const address = '192.168.102.9';

/** The Agent of a machine behind no router of the home. */
export function createMachine({ lab, agent, model }: Home): Machine {
  let waiting: ReturnType<typeof observation>[] = [];
  return {
    observe(chance) {
      for (let left = chance.whole(0, 2); left > 0; left -= 1) {
        const at = lab.clock.now() - chance.whole(1, tickMs / minuteMs - 12) * minuteMs;
        const remoteAddress = `192.0.2.${chance.whole(10, 60)}`;
        waiting.push(observation(at, { localAddress: address, remoteAddress, remotePort: 8883 }));
      }
    },
    async deliver() {
      const batch = waiting.slice(0, 200);
      if (batch.length > 0) {
        const now = lab.clock.now();
        await agentClient(lab.url, agent.token).agents.ingest({ body: batchOf(now, batch) });
        waiting = waiting.slice(batch.length);
        for (const { remoteAddress, lastObservedAt } of batch) {
          const at = Date.parse(lastObservedAt);
          const flow = flowKey(address, remoteAddress, 8883, 'TCP');
          model.sightings.push({ flow, from: at - 4000, at, storedAt: now, isSure: true });
        }
      }
    },
  };
}
