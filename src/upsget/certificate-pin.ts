// Which certificate of the UPS is accepted: any, the one with a given fingerprint, or the one that was seen first.
import { Failure, messageOf } from './failure.ts';
import { authorityOf } from './host.ts';
import type { Environment, Settings } from './settings.ts';
import { stateFile } from './state-folder.ts';
import type { TlsOptions } from './tls.ts';

/** Judges a fingerprint by throwing; null: every certificate is accepted. */
export function certificateJudge(settings: Settings, env: Environment): TlsOptions['judge'] {
  const where = authorityOf(settings.host, settings.port);
  if (settings.fingerprint !== null) {
    const expected = settings.fingerprint;
    return (seen) => requireSame(seen, expected, where, 'give the new fingerprint to --tls-fingerprint');
  }
  return settings.trustFirst ? (seen) => trustFirst(seen, where, env) : null;
}

function requireSame(seen: string, expected: string, where: string, remedy: string): void {
  if (seen !== expected) {
    throw new Failure(
      `${where} shows another certificate than expected, and nothing was sent: its SHA-256 is ${seen}, expected is ${expected}. If the certificate was renewed, ${remedy}`,
    );
  }
}

/** One line `HOST:PORT FINGERPRINT` for each UPS. */
function trustFirst(seen: string, where: string, env: Environment): void {
  const file = stateFile(env, 'certificates');
  try {
    const known = file.read() ?? '';
    const expected = known
      .split('\n')
      .find((line) => line.startsWith(`${where} `))
      ?.slice(where.length + 1);
    if (expected === undefined) {
      file.write(`${known}${where} ${seen}\n`);
    } else {
      requireSame(seen, expected, where, `remove its line from ${file.path}`);
    }
  } catch (error) {
    throw error instanceof Failure
      ? error
      : new Failure(`the certificate cannot be remembered in ${file.path}: ${messageOf(error)}`, { cause: error });
  }
}
