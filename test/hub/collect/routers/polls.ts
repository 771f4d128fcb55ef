// One poll of a simulated router over real SSH, what the router itself knows, and how a poll fails.
import {
  type CollectOptions,
  type RouterKind,
  type Session,
  type Shell,
  ShellError,
  type Snapshot,
} from '#hub/collect/routers/driver.ts';
import { getDriver } from '#hub/collect/routers/drivers.ts';
import { openShell, type ShellOptions } from '#hub/collect/routers/ssh.ts';
import { messageOf } from '#kernel/errors.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';

export const kinds: RouterKind[] = ['vendor_a', 'vendor_b'];

export function shellOf(router: RouterSimulator, options: Partial<ShellOptions> = {}): Promise<Shell> {
  return openShell({
    host: router.url.hostname,
    port: Number(router.url.port),
    user: router.credentials.user,
    password: router.credentials.password,
    secrets: [router.credentials.enable ?? ''],
    legacyAlgorithms: false,
    pinnedHostFp: null,
    // The simulators answer at once.
    settleMs: 20,
    clock: systemClock,
    ...options,
  });
}

export function optionsOf(router: RouterSimulator, settings: Partial<CollectOptions['settings']> = {}): CollectOptions {
  const nat = String(router.settings.natDescriptor);
  return {
    settings: { kind: router.kind, nat, enablePass: router.credentials.enable, ...settings },
    memory: { refused: new Set(), encoding: null, model: null },
    neighbours: true,
    leases: true,
    now: systemClock.now,
    signal: new AbortController().signal,
  };
}

export const keyOf = (session: Pick<Session, 'proto' | 'src' | 'sport' | 'dst' | 'dport'>) =>
  `${session.proto} ${session.src} ${session.sport} ${session.dst} ${session.dport}`;

/** What the router itself knows, as session keys. */
export function truthOf(router: RouterSimulator): string[] {
  const rows = router.truth().filter((entry) => !entry.fixed);
  return rows
    .map(({ proto, src, sport, dst, dport }) => {
      const ported = proto === 'tcp' || proto === 'udp';
      const query = proto === 'icmp' ? sport : null;
      return keyOf({ proto: proto.toUpperCase(), src, sport: ported ? sport : query, dst, dport: ported ? dport : 0 });
    })
    .sort();
}

export async function collect(
  router: RouterSimulator,
  shell: Partial<ShellOptions> = {},
  settings: Partial<CollectOptions['settings']> = {},
): Promise<Snapshot> {
  await using open = await shellOf(router, shell);
  return await getDriver(router.kind).collect(open, optionsOf(router, settings));
}

/** The failure of work that must fail with a ShellError. */
export async function failureOf(work: Promise<unknown>): Promise<ShellError> {
  const thrown = await work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
  if (!(thrown instanceof ShellError)) {
    throw new Error(`expected a ShellError, got: ${messageOf(thrown)}`, { cause: thrown });
  }
  return thrown;
}

/** The command that reads the NAT table, or how it starts. */
export const nat = (kind: RouterKind) =>
  kind === 'vendor_a' ? 'show nat descriptor address' : 'show ip nat translations';
