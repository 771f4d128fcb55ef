// Turns what an SSH connection attempt ended in into a failure class and a sentence that says what to do. Pure.
import { ShellError } from '../driver.ts';
import { printable } from '../reader.ts';
import { restricted } from './prompt-learning.ts';

/** How far an attempt came and what was learnt on the way. Holds no secret. */
export interface Attempt {
  address: string;
  phase: 'tcp' | 'handshake' | 'auth' | 'ready';
  /** Methods the server offered, once it said so. */
  methods: readonly string[] | null;
  /** A password was sent. */
  answered: boolean;
  /** SHA-256 of the host key presented, when it was not the pinned one. */
  refusedHostFp: string | null;
  pinnedHostFp: string | null;
  /** `kex`, `cipher`, `mac`, `host key` → both sides' lists, as far as they were compared. */
  algorithms: readonly AlgorithmList[];
  legacyAlgorithms: boolean;
  /** Text received in place of an SSH identification. */
  greeting: string;
}

export interface AlgorithmList {
  what: string;
  ours: string;
  theirs: string;
}

/** `error` is what the connection reported; `null` when it just closed. */
export function sshFailure(attempt: Attempt, error: Error | null): ShellError {
  const text = error?.message ?? '';
  const code = error && 'code' in error ? String(error.code) : '';
  if (attempt.refusedHostFp !== null) {
    return hostKeyChanged(attempt);
  }
  if (/^Handshake failed: no matching/.test(text)) {
    return noCommonAlgorithm(attempt, text);
  }
  if (/Login access is restricted/i.test(attempt.greeting)) {
    return restricted(printable(attempt.greeting.trim()));
  }
  if (attempt.phase === 'auth' && (attempt.answered || /authentication methods failed/.test(text))) {
    return authFailed(attempt);
  }
  if (attempt.phase === 'tcp' && error && code !== 'ECONNRESET') {
    return unreachable(attempt, code || text);
  }
  if (/^(?:HTTP\/|<|\d{3}[ -]|[*+] ?OK)/.test(attempt.greeting)) {
    return new ShellError(
      'silent_port',
      `${attempt.address} is no SSH service: something else answers there. Check the port.`,
      {
        greeting: printable(attempt.greeting.trim()),
      },
    );
  }
  const facts: Record<string, string> = { cause: printable(text || 'the connection was closed') };
  if (attempt.greeting !== '') {
    facts.greeting = printable(attempt.greeting.trim());
  }
  return new ShellError(
    'closed_early',
    `${attempt.address} closed the connection before the login was complete. All its terminal lines may be taken, this machine's address may not be allowed, or it may be refusing logins for a while after wrong passwords.`,
    facts,
    error ?? undefined,
  );
}

/** The attempt took longer than allowed. */
export function sshTimeout(attempt: Attempt, ms: number): ShellError {
  const seconds = Math.round(ms / 1000);
  if (attempt.phase === 'tcp') {
    return unreachable(attempt, `no answer within ${seconds} s`);
  }
  if (attempt.phase === 'auth') {
    return new ShellError(
      'timed_out',
      `${attempt.address} did not finish the login within ${seconds} s. It may be overloaded, or its authentication server may not answer.`,
    );
  }
  return new ShellError(
    'silent_port',
    `${attempt.address} accepted the connection but did not speak SSH within ${seconds} s. Check the port; if it is right, the router may be overloaded.`,
    attempt.greeting === '' ? {} : { greeting: printable(attempt.greeting.trim()) },
  );
}

export function shellRefused(attempt: Attempt, cause: Error): ShellError {
  return new ShellError(
    'shell_refused',
    `${attempt.address} accepted the login but refused a command line. Check that this user may use SSH and the router's shell.`,
    { cause: printable(cause.message) },
    cause,
  );
}

function unreachable(attempt: Attempt, cause: string): ShellError {
  return new ShellError(
    'unreachable',
    `${attempt.address} cannot be reached (${printable(cause)}). Check the address and port, that the SSH service is on, and that its terminal lines are not all taken.`,
    { cause: printable(cause) },
  );
}

function hostKeyChanged(attempt: Attempt): ShellError {
  const known = attempt.pinnedHostFp ?? '';
  const presented = attempt.refusedHostFp ?? '';
  return new ShellError(
    'host_key_changed',
    `The host key of ${attempt.address} is not the one it had before: known ${known}, presented ${presented}. If the router was replaced or its key made anew, approve the new key; otherwise someone may be in between.`,
    { known, presented },
  );
}

function noCommonAlgorithm(attempt: Attempt, text: string): ShellError {
  const failed = attempt.algorithms.at(-1);
  const lists = failed ? ` It offers ${failed.theirs}; this program offers ${failed.ours}.` : '';
  const advice = attempt.legacyAlgorithms
    ? 'Old algorithms are already allowed, so the router needs a newer firmware or other SSH settings.'
    : 'Allow old SSH algorithms for this router if its firmware cannot be updated.';
  const facts: Record<string, string> = { cause: printable(text) };
  if (failed) {
    facts.what = failed.what;
    facts.offered = failed.theirs;
    facts.ours = failed.ours;
  }
  const what = /no matching (.+)$/.exec(text)?.[1] ?? 'algorithm';
  return new ShellError(
    'no_common_algorithm',
    `${attempt.address} and this program share no ${printable(what)}.${lists} ${advice}`,
    facts,
  );
}

function authFailed(attempt: Attempt): ShellError {
  const methods = attempt.methods ?? [];
  const offered = methods.length === 0 ? 'none that it named' : methods.join(', ');
  const message = attempt.answered
    ? `${attempt.address} refused the user name or password. It is not tried again until the router's settings are corrected. Methods it offers: ${offered}.`
    : `${attempt.address} does not accept a password; methods it offers: ${offered}. Allow password login on the router (vendor_a: \`sshd auth method\`).`;
  return new ShellError('auth_failed', message, { methods: offered });
}
