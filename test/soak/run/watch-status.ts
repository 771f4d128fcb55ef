// Asks the hub each second what it says of routers and of the mesh, and every few seconds what its services answer.

import { ClientError } from '#kernel/http/client.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { Subject } from '../catalogue.ts';
import { type Promised, statusProblem } from '../invariants/status.ts';
import type { Truth } from '../world/truth.ts';
import type { World } from '../world/world.ts';
import type { Checks } from './checks.ts';

/** What this machine may take in addition, next to everything else that runs on it. */
const slackMs = 15_000;
const pollMs = 10_000;
/** A silent router is given up after 15 s, a login after 10. */
const silenceMs = 25_000;
const meshPollMs = 60_000;
const meshAnswerMs = 32_000;

/**
 * A router that failed is asked again after 20 s, then 40, 80, …: when it comes back after D, the wait that is under way is
 * no longer than D and 20 s.
 */
const routerPromise: Promised = {
  downMs: pollMs + silenceMs + slackMs,
  upMs: (wasDownMs) => wasDownMs + 2 * pollMs + silenceMs + slackMs,
};
const meshPromise: Promised = {
  downMs: meshPollMs + meshAnswerMs / 2 + slackMs,
  upMs: () => meshPollMs + meshAnswerMs / 2 + slackMs,
};
/** Of what is asked by the request itself. */
const atOnce: Promised = { downMs: 0, upMs: () => 0 };

/**
 * What a hub without room cannot store it has not read either: nothing is judged then, and what it promises of the time
 * after counts from the end of the longer trouble. Null: not to be judged now.
 */
function throughDisk(truth: Truth, disk: Truth): Truth | null {
  if (disk.isDown) {
    return null;
  }
  const since = Math.max(truth.since, disk.since);
  return truth.isDown ? { ...truth, since } : { isDown: false, since, wasDownMs: truth.wasDownMs + disk.wasDownMs };
}

/** One look; resolves when it is judged. */
export async function watchStatus({ hub, truths }: World, checks: Checks): Promise<void> {
  if (hub.absence() !== null) {
    return;
  }
  const before = hub.presentSince();
  try {
    const [{ routers }, mesh] = await Promise.all([hub.admin.routers.list({}), hub.admin.mesh.network({})]);
    if (hub.absence() !== null || hub.presentSince() !== before) {
      return;
    }
    const now = systemClock.now();
    const judge = (subject: Subject, saysDown: boolean, says: string, promised: Promised) => {
      const truth = throughDisk(truths.of(subject), truths.of('hub'));
      if (truth !== null) {
        checks.check(
          'status',
          statusProblem({ name: subject, saysDown, says, truth, hubSince: before, now }, promised),
        );
      }
    };
    for (const { kind, state, message, failure } of routers) {
      judge(kind, state !== 'ready', `${state}, ${failure ?? 'no failure'}: ${message}`, routerPromise);
    }
    judge('mesh', mesh.state !== 'ready', `${mesh.state}: ${mesh.message}`, meshPromise);
    checks.check('alive', routers.length === 2 ? null : `the hub has ${routers.length} routers in place of 2`);
  } catch (error) {
    if (await hub.stillOwes(before)) {
      checks.check('alive', `the hub did not answer what it says of routers: ${error}`);
    }
  }
}

export interface Service {
  subject: Subject;
  /** Resolves when the service did what it was asked; rejects with a ClientError when the hub says that it did not. */
  ask(world: World): Promise<unknown>;
  /** Whether an error of `ask` says so; a ClientError when absent. */
  saysDown?: (error: unknown) => boolean;
}

const threeHoursMs = 3 * 3_600_000;

export const services: readonly Service[] = [
  { subject: 'chat', ask: ({ hub }) => hub.admin.chat.test({ body: {} }) },
  { subject: 'issuer', ask: ({ hub }) => hub.admin.auth.oidcTest({ body: {} }) },
  {
    subject: 'ai',
    ask: ({ hub }) => hub.admin.ai.analyze({ body: { from: systemClock.now() - threeHoursMs, language: 'en' } }),
  },
  { subject: 'mcp', ask: ({ mcp }) => mcp.call(), saysDown: isUnreachable },
];

/** No answer at all; that the hub failed behind it is another matter. */
function isUnreachable(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'UND_ERR_SOCKET';
}

/** One question to a service, judged when neither the hub nor the service changed while it was asked. */
export async function watchService(world: World, { subject, ask, saysDown }: Service, checks: Checks): Promise<void> {
  const { hub, truths } = world;
  const [truth, hubSince] = [truths.of(subject), hub.presentSince()];
  if (hub.absence() !== null || truths.of('hub').isDown) {
    return;
  }
  const said = await ask(world).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(await hub.stillOwes(hubSince)) || truths.of(subject) !== truth) {
    return;
  }
  if (said !== null && !(saysDown?.(said) ?? said instanceof ClientError)) {
    checks.check('alive', `the hub did not answer a question to ${subject}: ${said}`);
    return;
  }
  const says = said === null ? 'it answered' : sentence(said);
  const sight = { name: subject, saysDown: said !== null, says, truth, hubSince, now: systemClock.now() };
  checks.check('status', statusProblem(sight, atOnce));
}

function sentence(error: unknown): string {
  return error instanceof ClientError ? `${error.status} ${error.code}: ${error.message}` : String(error);
}
