// One reading of a UPS, from lock to log-off. Language and session are restored after any failure.
import { deliver } from './deliver.ts';
import { Failure } from './failure.ts';
import { formatAuthority } from './host.ts';
import { limits } from './limits.ts';
import { createLocaleMemory } from './locale-memory.ts';
import { takeLock } from './lock.ts';
import { createSession } from './session.ts';
import type { Settings } from './settings.ts';
import { withGracePeriod } from './signals.ts';
import type { Terminal } from './terminal.ts';
import { createWebClient } from './web-client.ts';

/** Throws a Failure, or the reason of `signal`, after the cleanup of the UPS. */
export async function readOnce(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
  signal: AbortSignal,
  { sessionMs, cleanupMs }: { sessionMs: number; cleanupMs: number } = limits,
): Promise<void> {
  const { host, port } = settings;
  // Starts with the signal.
  using ending = withGracePeriod(signal, limits.interruptedMs);
  const lock = await takeLock(formatAuthority(host, port), limits.lockWaitMs, env, signal);
  try {
    const snapshot = settings.snapshot && (await loadSnapshot(settings));
    const memory = createLocaleMemory(host, port, env);
    const session = createSession({
      client: createWebClient({
        host,
        port,
        requestMs: settings.requestMs,
        tls: { legacy: settings.tlsLegacy, judge: await loadJudge(settings, env) },
        ...(snapshot ? { onAnswer: snapshot.add } : {}),
      }),
      username: settings.username,
      password: settings.password,
      polite: settings.polite,
      unrestored: memory.unrestored(),
      onLocale: memory.remember,
    });
    try {
      const working = AbortSignal.any([signal, createSessionEnd(sessionMs - cleanupMs)]);
      await deliver(await session.open(working), settings, env, terminal, working);
    } finally {
      const undone = await session.close({
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(cleanupMs)]),
        hurry: signal,
      });
      for (const sentence of undone) {
        terminal.warn(sentence);
      }
      snapshot?.save();
    }
  } finally {
    lock.release();
  }
}

/** Aborts early enough to clean up before the session timeout of the product. */
function createSessionEnd(ms: number): AbortSignal {
  const controller = new AbortController();
  AbortSignal.timeout(ms).addEventListener('abort', () =>
    controller.abort(new Failure('not finished within 15 minutes, after which the UPS ends the session; try again')),
  );
  return controller.signal;
}

async function loadJudge(settings: Settings, env: NodeJS.ProcessEnv) {
  const pins = settings.fingerprint !== null || settings.trustFirst;
  return pins ? (await import('./certificate-pin.ts')).createCertificateJudge(settings, env) : null;
}

async function loadSnapshot({ snapshot, username, password }: Settings) {
  const [{ createSnapshot }, { packageVersion }] = await Promise.all([import('./snapshot.ts'), import('./version.ts')]);
  return createSnapshot({
    folder: snapshot?.folder ?? '',
    secrets: [username, password, ...(snapshot?.masks ?? [])],
    version: packageVersion(),
  });
}
