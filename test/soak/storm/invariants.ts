// What holds after every storm: each acknowledged write is there, nothing is stuck, and the hub ends when it is asked to.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { systemClock } from '#kernel/time/clock.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import type { Answer, HubClient, World } from './world.ts';
import { pollIntervalMs } from './world.ts';

/** Longer than a lock-out lasts, and than failures are counted for one. */
const lockOutMs = 960_000;
/** A stop takes well under two seconds; this many show that it does not happen at all, on a machine of any speed. */
const stopMs = 20_000;

/** A sentence for each thing that is not as it must be. */
export async function problemsAfter(world: World): Promise<string[]> {
  const ask = questions(world);
  const problems: string[] = [];
  const { clock } = world.lab;
  clock.jump(clock.now() + lockOutMs);
  await world.lab.settleThroughSilence();
  problems.push(...(await settingsProblems(world, ask)));
  problems.push(...(await deviceProblems(world, ask)));
  problems.push(...(await accountProblems(world, ask)));
  problems.push(...(await loopProblems(world, ask)));
  problems.push(...(await poolProblems(ask)));
  problems.push(...(await stopProblems(world)));
  return problems;
}

type Ask = <T>(what: string, ask: (client: HubClient) => Promise<T>, token?: string) => Promise<T>;

/** In a calm everything is answered; an answer that is a refusal ends the judgement. */
function questions(world: World): Ask {
  return async <T>(what: string, ask: (client: HubClient) => Promise<T>, token?: string) => {
    const answer: Answer<T> = await world.patientCall(what, ask, token);
    if (answer.ending !== 'acknowledged') {
      throw new Error(`after the storm, ${what} was answered ${answer.status}; seen so far: ${world.problems}`);
    }
    return answer.value as T;
  };
}

async function settingsProblems({ lab, model }: World, ask: Ask): Promise<string[]> {
  const { routers } = await ask('GET /api/routers', (client) => client.routers.list({}));
  const general = await ask('GET /api/config/general', (client) => client.config.general({}));
  const sources = await ask('GET /api/config/datasources', (client) => client.config.dataSources({}));
  const { config: chat } = await ask('GET /api/config/chat', (client) => client.chat.config({}));
  const { oidc } = await ask('GET /api/auth/security-config', (client) => client.auth.securityConfig({}));
  const stored = JSON.parse(readFileSync(path.join(lab.dataDir, 'monitor.json'), 'utf8'));
  const shown: Record<string, unknown> = {
    'general.homeCountry': general.homeCountry,
    'general.language': general.language,
    'general.retentionDays': general.retentionDays,
    'dataSources.dns': sources.dns.logFile,
    'dataSources.dhcp': sources.dhcp.logFile,
    'dataSources.inspect': sources.inspect.logFile,
    'chat.displayName': chat.displayName,
    'chat.userId': chat.userId,
    'oidc.clientId': oidc.clientId,
    'mesh.ip': stored.mesh?.ip ?? null,
  };
  const inFile: typeof shown = {
    'general.homeCountry': stored.general.homeCountry,
    'general.language': stored.general.language,
    'general.retentionDays': stored.general.retentionDays,
    'dataSources.dns': stored.dataSources.dns.logFile,
    'dataSources.dhcp': stored.dataSources.dhcp.logFile,
    'dataSources.inspect': stored.dataSources.inspect.logFile,
    'chat.displayName': stored.chat.displayName,
    'chat.userId': stored.chat.userId,
    'oidc.clientId': stored.oidc.clientId,
    'mesh.ip': stored.mesh?.ip ?? null,
  };
  const facts = ({ id, displayName, enabled, ip, port, hostName }: (typeof routers)[number]) =>
    JSON.stringify({ id, displayName, enabled, ip, port, hostName });
  const listed = new Map(routers.map((router) => [router.id, router]));
  return [
    ...differences(
      'monitor.json',
      { ...inFile, routers: stored.routers.map(facts) },
      { ...shown, routers: routers.map(facts) },
    ),
    ...[...model.settings].flatMap(([key, register]) => register.problem(shown[key]) ?? []),
    ...[...model.routers.values()].flatMap((router) => {
      const found = listed.get(router.id);
      return [
        router.exists.problem(found !== undefined),
        found ? router.name.problem(found.displayName) : null,
        found ? router.enabled.problem(found.enabled) : null,
        found ? router.port.problem(found.port) : null,
      ].flatMap((problem) => problem ?? []);
    }),
    ...routers
      .filter(({ id, displayName }) => !model.routers.has(id) && !model.perhapsCreated.has(displayName))
      .map(({ displayName }) => `nobody was told that the router "${displayName}" was made`),
  ];
}

function differences(what: string, stored: Record<string, unknown>, shown: Record<string, unknown>): string[] {
  return Object.keys(shown)
    .filter((key) => JSON.stringify(stored[key]) !== JSON.stringify(shown[key]))
    .map((key) => `${what} has ${key} ${JSON.stringify(stored[key])}, the API says ${JSON.stringify(shown[key])}`);
}

async function deviceProblems({ model }: World, ask: Ask): Promise<string[]> {
  const { devices } = await ask('GET /api/devices', (client) =>
    client.devices.list({ query: { includeArchived: '1' } }),
  );
  const { notes } = await ask('GET /api/notes', (client) => client.notes.list({}));
  const byId = new Map(devices.map((device) => [device.deviceId, device]));
  return [
    ...[...model.notes].flatMap(([key, register]) => register.problem(notes[key] ?? '') ?? []),
    ...[...model.archived].flatMap(([id, register]) => register.problem(byId.get(id)?.status === 'archived') ?? []),
    ...[...model.merged].flatMap(([id, register]) => register.problem(byId.get(id)?.mergedInto != null) ?? []),
  ];
}

async function accountProblems(world: World, ask: Ask): Promise<string[]> {
  const { model } = world;
  const problems: string[] = [];
  for (const { token, password, begunAt, endedAt, active } of model.sessions) {
    const { authenticated } = await ask('GET /api/auth/status', (client) => client.auth.status({}), token);
    const problem = active.problem(authenticated);
    const isSwept = model.sweeps.some((sweep) => sweep.begunAt > endedAt || sweep.oldPassword === password);
    const isPerhapsSwept = model.perhapsSwept || model.sweeps.some((sweep) => sweep.endedAt > begunAt);
    if (authenticated && isSwept) {
      problems.push(`a session opened with ${password} is active after all sessions were revoked`);
    } else if (problem !== null && (authenticated || !isPerhapsSwept)) {
      problems.push(problem);
    }
  }
  for (const [id, { token, active }] of model.identities) {
    const { ending } = await world.patientCall('asking who I am', (client) => client.auth.self({}), token);
    const problem = active.problem(ending === 'acknowledged');
    problems.push(...(problem === null ? [] : [`${problem} (${id})`]));
  }
  const statuses: (number | null)[] = [];
  for (const password of new Set(model.password.possible())) {
    const { status } = await world.patientCall('a login', (client) => client.auth.login({ body: { password } }));
    statuses.push(status);
  }
  if (statuses.filter((status) => status === 200).length !== 1) {
    problems.push(`the possible passwords log in with ${statuses}, where one is to be let in`);
  }
  await ask('GET /api/auth/audit-events', (client) => client.auth.auditEvents({ query: {} }));
  return problems;
}

/** Each enabled router is polled over one connection and no other router is; nothing waits for a slot. */
async function loopProblems(world: World, ask: Ask): Promise<string[]> {
  const { lab, routers: simulators } = world;
  for (const simulator of [...simulators, ...world.meshes]) {
    simulator.clearFaults();
  }
  const { routers } = await ask('GET /api/routers', (client) => client.routers.list({}));
  for (const { id, port } of routers) {
    const credentials = simulators.find(({ url }) => Number(url.port) === port)?.credentials;
    const enablePass = credentials?.enable ?? null;
    const isB = id.startsWith('vendor-b');
    const body = { pass: credentials?.password ?? '', ...(isB && enablePass !== null ? { enablePass } : {}) };
    await ask('PUT /api/routers', (client) => client.routers.update({ params: { id }, body }));
  }
  // What failed before is tried again later and later.
  let problems: string[] = [];
  for (let rounds = 0; rounds < 10; rounds += 1) {
    await pollOnce(lab);
    problems = await unpolled(world, ask);
    if (problems.length === 0) {
      break;
    }
  }
  return problems;
}

/** In steps: what a poll does in real time must not run into the deadlines of virtual time. */
async function pollOnce(lab: World['lab']): Promise<void> {
  await lab.settled();
  for (let passedMs = 0; passedMs < pollIntervalMs; passedMs += 1000) {
    await lab.advance(1000);
  }
}

async function unpolled({ lab, routers: simulators }: World, ask: Ask): Promise<string[]> {
  const { routers } = await ask('GET /api/routers', (client) => client.routers.list({}));
  const due = lab.clock.now() - pollIntervalMs;
  const expected = ({ url }: RouterSimulator) =>
    routers.filter(({ enabled, port }) => enabled && port === Number(url.port)).length;
  return [
    ...routers
      .filter(({ enabled, lastSuccessAt }) => enabled && (lastSuccessAt ?? 0) < due)
      .map(
        ({ displayName, state, failure, message }) => `"${displayName}" is not polled: ${state} ${failure} ${message}`,
      ),
    ...(await sessionProblems(simulators, expected)),
  ];
}

/** A router notices the end of a session a little later than the hub. */
async function sessionProblems(
  simulators: readonly RouterSimulator[],
  expected: (simulator: RouterSimulator) => number,
): Promise<string[]> {
  const isSo = (one: RouterSimulator) => one.sessionsOpen === expected(one);
  for (let looks = 0; looks < 100 && !simulators.every(isSo); looks += 1) {
    await systemClock.sleep(50);
  }
  return simulators
    .filter((one) => !isSo(one))
    .map((one) => `${one.sessionsOpen} sessions on router ${one.url.port} in place of ${expected(one)}`);
}

/** As many questions at once as would take every reader, twice. */
async function poolProblems(ask: Ask): Promise<string[]> {
  const lists = Array.from({ length: 16 }, () =>
    ask('GET /api/connections', (client) => client.connections.list({ query: { limit: '10' } })),
  );
  const totals = new Set((await Promise.all(lists)).map(({ total }) => total));
  return totals.size === 1 ? [] : [`the same question was answered with ${[...totals]} connections`];
}

async function stopProblems({ lab, routers }: World): Promise<string[]> {
  const problems: string[] = [];
  const stopped = lab.stop().then(() => true);
  const timer = new AbortController();
  const late = systemClock.sleep(stopMs, timer.signal).then(
    () => false,
    () => false,
  );
  if (!(await Promise.race([stopped, late]))) {
    return ['the hub does not stop while virtual time stands still'];
  }
  timer.abort();
  if (lab.clock.sleeping > 0) {
    problems.push(`${lab.clock.sleeping} waits go on after the hub has stopped`);
  }
  problems.push(...(await sessionProblems(routers, () => 0)));
  const db = new Database(path.join(lab.dataDir, 'monitor.db'), { readonly: true });
  try {
    const [sound] = db.pragma('integrity_check') as { integrity_check: string }[];
    if (sound?.integrity_check !== 'ok' || (db.pragma('foreign_key_check') as unknown[]).length > 0) {
      problems.push('the database is not sound');
    }
  } finally {
    db.close();
  }
  return problems;
}
