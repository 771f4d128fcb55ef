// `gatehouse sim KIND`: one simulator, or all of them, with the control surface of each, until a signal ends it.
import { once } from 'node:events';
import { messageOf } from '#kernel/errors.ts';
import { listenFailure } from '#kernel/listen-failure.ts';
import { stopSignal } from '#kernel/stop-signal.ts';
import { packageVersion } from '#kernel/version.ts';
import { startControlServer } from './control-server.ts';
import { hubClientId, mcpClientId } from './oidc/clients.ts';
import { issuerControlRoutes } from './oidc/control-routes.ts';
import { issuerFaults } from './oidc/faults.ts';
import { startIssuer } from './oidc/issuer.ts';
import { defaultUsers } from './oidc/users.ts';
import { defaultPorts, type Kind, type Plan, parsePlan, usage } from './plan.ts';
import { routerControlRoutes } from './router/control-routes.ts';
import { routerFaults } from './router/faults.ts';
import type { RouterKind } from './router/model.ts';
import { startRouter } from './router/router.ts';
import { createShiftedClock } from './shifted-clock.ts';
import type { Entry } from './simulator.ts';

/** Runs `gatehouse sim` with the arguments behind that word; resolves to the exit code. */
export async function runSimulator(argv: readonly string[]): Promise<number> {
  let plan: Plan | 'help' | 'version';
  try {
    plan = parsePlan(argv);
  } catch (error) {
    // parseArgs adds advice behind its first sentence.
    process.stderr.write(`gatehouse sim: ${messageOf(error).split('. ')[0]}\n`);
    return 2;
  }
  if (plan === 'help' || plan === 'version') {
    process.stdout.write(plan === 'help' ? usage : `${packageVersion()}\n`);
    return 0;
  }
  const stop = stopSignal();
  try {
    await using stack = new AsyncDisposableStack();
    for (const kind of plan.kinds) {
      const line = await (kind === 'oidc' ? startIssuerOf(plan, stack) : startRouterOf(kind, plan, stack));
      process.stdout.write(`${JSON.stringify({ simulator: kind, ...line })}\n`);
    }
    if (!stop.aborted) {
      await once(stop, 'abort');
    }
    return 0;
  } catch (error) {
    process.stderr.write(`gatehouse sim: ${listenFailure(error) ?? messageOf(error)}\n`);
    return 1;
  }
}

async function startRouterOf(kind: RouterKind, plan: Plan, stack: AsyncDisposableStack): Promise<object> {
  const clock = createShiftedClock();
  const router = stack.use(
    await startRouter({
      kind,
      clock,
      host: plan.host,
      port: plan.port ?? defaultPorts[kind].port,
      seed: plan.seed,
      sessions: plan.sessions,
      // What is not replayed must not contradict what is: a table that moves would declare other totals.
      traffic: Object.keys(plan.replay).length === 0,
      latency: 'modern',
      legacyCrypto: plan.legacyCrypto,
      replay: plan.replay,
      ...(plan.dialect === null ? {} : { profile: plan.dialect }),
      onEntry: (entry) => tell(kind, entry),
    }),
  );
  const served = stack.use(
    await startControlServer({
      title: `Simulated router ${kind}`,
      control: router.control,
      faults: routerFaults,
      clock,
      extra: routerControlRoutes({ control: router.control, now: clock.now }),
      host: plan.host,
      port: plan.controlPort ?? defaultPorts[kind].control,
    }),
  );
  const { user, password, enable } = router.credentials;
  return {
    url: router.url.href,
    control: served.url.origin,
    user,
    password,
    enablePassword: enable,
    dialect: router.control.settings.profile,
    hostKey: router.control.hostKey,
  };
}

async function startIssuerOf(plan: Plan, stack: AsyncDisposableStack): Promise<object> {
  const clock = createShiftedClock();
  const issuer = stack.use(
    await startIssuer({
      clock,
      host: plan.host,
      port: plan.port ?? defaultPorts.oidc.port,
      hubRedirectUris: [plan.hubRedirectUri],
      replayMode: plan.replayMode,
      profile: plan.profile,
      accessTokenTtlMs: plan.accessTokenTtlMs,
      consent: plan.consentPage ? 'page' : 'automatic',
      onEntry: (entry) => tell('oidc', entry),
    }),
  );
  const served = stack.use(
    await startControlServer({
      title: 'Simulated OIDC issuer',
      control: issuer.control,
      faults: issuerFaults,
      clock,
      extra: issuerControlRoutes(issuer.control),
      host: plan.host,
      port: plan.controlPort ?? defaultPorts.oidc.control,
    }),
  );
  const [user] = defaultUsers;
  return {
    url: issuer.issuer,
    control: served.url.origin,
    user: user?.email,
    password: user?.password,
    clientId: hubClientId,
    clientSecret: issuer.clients.find(({ id }) => id === hubClientId)?.secret,
    mcpClientId,
    replayMode: plan.replayMode,
    profile: plan.profile,
  };
}

/** Key strokes are in the journal only; everything else is notable. */
function tell(kind: Kind, { at: _at, kind: event, ...details }: Entry): void {
  if (event !== 'pager-key') {
    const rest = Object.entries(details).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    process.stderr.write(`${[kind, event, ...rest].join(' ')}\n`);
  }
}
