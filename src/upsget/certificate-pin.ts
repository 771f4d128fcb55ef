// Certificate pinning: accepts any certificate, one with a given fingerprint, or the first one seen.
import { Failure, messageOf } from './failure.ts';
import { formatAuthority } from './host.ts';
import type { Environment, Settings } from './settings.ts';
import { openStateFile } from './state-folder.ts';
import type { TlsOptions } from './tls.ts';

/** Returns a function that throws for a wrong fingerprint, or null to accept every certificate. */
export function createCertificateJudge(settings: Settings, env: Environment): TlsOptions['judge'] {
  const where = formatAuthority(settings.host, settings.port);
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
 * Pins are stored in one file per UPS, so that concurrent runs do not overwrite each other. Its line is `HOST:PORT
 * FINGERPRINT`. The file `certificates` of earlier versions, with one line per UPS, stays valid.
 */
function trustFirst(seen: string, where: string, env: Environment): void {
  const file = openStateFile(env, `certificate-${encodeURIComponent(where.toLowerCase())}`);
  const list = openStateFile(env, 'certificates');
  try {
    const own = file.read();
    const listed = own === null ? findPin(list.read() ?? '', where) : null;
    if (own !== null) {
      requireSame(seen, findPin(own, where) ?? 'nothing that can be read', where, `remove ${file.path}`);
    } else if (listed !== null) {
      requireSame(seen, listed, where, `remove its line from ${list.path}`);
    } else {
      file.write(`${where} ${seen}\n`);
    }
  } catch (error) {
    throw error instanceof Failure
      ? error
      : new Failure(`the certificate pin cannot be saved to ${file.path}: ${messageOf(error)}`, { cause: error });
  }
}

function findPin(text: string, where: string): string | null {
  const start = `${where} `.toLowerCase();
  const line = text.split('\n').find((one) => one.toLowerCase().startsWith(start));
  return line?.slice(start.length) ?? null;
}
