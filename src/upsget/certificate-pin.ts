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

/**
 * A file for each UPS, so that readers of several do not write over each other's. It holds one line `HOST:PORT
 * FINGERPRINT`; the list `certificates`, which earlier versions wrote, has one for each UPS and stays valid.
 */
function trustFirst(seen: string, where: string, env: Environment): void {
  const file = stateFile(env, `certificate-${encodeURIComponent(where.toLowerCase())}`);
  const list = stateFile(env, 'certificates');
  try {
    const own = file.read();
    const listed = own === null ? pinOf(list.read() ?? '', where) : null;
    if (own !== null) {
      requireSame(seen, pinOf(own, where) ?? 'nothing that can be read', where, `remove ${file.path}`);
    } else if (listed !== null) {
      requireSame(seen, listed, where, `remove its line from ${list.path}`);
    } else {
      file.write(`${where} ${seen}\n`);
    }
  } catch (error) {
    throw error instanceof Failure
      ? error
      : new Failure(`the certificate cannot be remembered in ${file.path}: ${messageOf(error)}`, { cause: error });
  }
}

function pinOf(text: string, where: string): string | null {
  const start = `${where} `.toLowerCase();
  const line = text.split('\n').find((one) => one.toLowerCase().startsWith(start));
  return line?.slice(start.length) ?? null;
}
