// Turns what an SSH connection attempt ended in into a failure class and a sentence that says what to do. Pure.
import { ShellError } from '../driver.ts';
import { printable } from '../reader.ts';
import { restricted } from './prompt-learning.ts';
import type { Secrecy } from './secrecy.ts';

/** How far an attempt came and what it showed. What the device says in it may hold a secret. */
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
  /** Such as `SSH-2.0-OpenSSH_7.7`. */
  identification: string;
  /** `kex`, `cipher`, `mac`, `host key` → both sides' lists, as far as they were compared. */
  algorithms: readonly AlgorithmList[];
  legacyAlgorithms: boolean;
  /** Text received instead of an SSH identification. */
  greeting: string;
  secrecy: Secrecy;
}

export interface AlgorithmList {
  what: string;
  ours: string;
  theirs: string;
}

/** `error` is what the connection reported, in words of the device or of the library; `null` when it just closed. */
export function sshFailure(attempt: Attempt, error: Error | null): ShellError {
  const text = error?.message ?? '';
  const shown = attempt.secrecy.line(text);
  const code = error && 'code' in error ? String(error.code) : '';
  if (attempt.refusedHostFp !== null) {
    return hostKeyChanged(attempt);
  }
  if (/^Handshake failed: no matching/.test(text)) {
    return noCommonAlgorithm(attempt, text);
  }
  if (/Login access is restricted/i.test(attempt.greeting)) {
    return restricted(toShownGreeting(attempt));
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
      withoutEmpty({ greeting: toShownGreeting(attempt) }),
    );
  }
  const facts = withoutEmpty({
    cause: printable(text === '' ? 'the connection was closed' : shown),
    greeting: toShownGreeting(attempt),
  });
  return new ShellError(
    'closed_early',
    `${attempt.address} closed the connection before the login was complete. All its terminal lines may be taken, this machine's address may not be allowed, or it may be refusing logins for a while after wrong passwords.`,
    facts,
    shown === text ? (error ?? undefined) : undefined,
  );
}

/** Facts without those that may not be shown, or say nothing. */
function withoutEmpty(facts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).filter(([, text]) => text !== ''));
}

function toShownGreeting({ greeting, secrecy }: Attempt): string {
  return printable(secrecy.line(greeting.trim()));
}

/** The attempt took longer than allowed. */
export function sshTimeout(attempt: Attempt, ms: number): ShellError {
  const seconds = Math.round(ms / 1000);
  if (attempt.phase === 'tcp') {
    return unreachable(attempt, `no answer within ${seconds} s`);
  }
  if (attempt.phase === 'auth') {
    return new ShellError(
      'login_late',
      `${attempt.address} did not finish the login within ${seconds} s. It may be overloaded, or its authentication server may not answer.`,
    );
  }
  return new ShellError(
    'silent_port',
    `${attempt.address} accepted the connection but ${attempt.greeting === '' ? 'sent no SSH greeting' : 'did not speak SSH'} within ${seconds} s. Check the port; if it is right, the router may be overloaded.`,
    withoutEmpty({ greeting: toShownGreeting(attempt) }),
  );
}

export function shellRefused(attempt: Attempt, cause: Error): ShellError {
  const shown = attempt.secrecy.line(cause.message);
  return new ShellError(
    'shell_refused',
    `${attempt.address} accepted the login but refused a command line. Check that this user may use SSH and the router's shell.`,
    withoutEmpty({ cause: printable(shown) }),
    shown === '' ? undefined : cause,
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
    `The host key of ${attempt.address} is not the one it had before: known ${known}, presented ${presented}. If the router was replaced or its key was regenerated, approve the new key; otherwise someone may be in between.`,
    { known, presented },
  );
}

function noCommonAlgorithm(attempt: Attempt, text: string): ShellError {
  const failed = shownList(attempt);
  const lists = failed ? ` It offers ${failed.theirs}; this program offers ${failed.ours}.` : '';
  const advice = attempt.legacyAlgorithms
    ? 'Old algorithms are already allowed, so the router needs a newer firmware or other SSH settings.'
    : 'Allow old SSH algorithms for this router if its firmware cannot be updated.';
  const what =
    /no matching (key exchange algorithm|host key format|(?:C->S|S->C) (?:cipher|MAC|compression))$/.exec(text)?.[1] ??
    'algorithm';
  const facts: Record<string, string> = { cause: `no matching ${what}` };
  if (failed) {
    facts.what = failed.what;
    facts.offered = failed.theirs;
    facts.ours = failed.ours;
  }
  return new ShellError(
    attempt.legacyAlgorithms ? 'old_algorithms' : 'no_common_algorithm',
    `${attempt.address} and this program share no ${what}.${lists} ${advice}`,
    facts,
  );
}

/** The lists that share nothing, as far as the device's may be shown. */
function shownList({ algorithms, secrecy }: Attempt): AlgorithmList | undefined {
  const failed = algorithms.at(-1);
  return failed && { ...failed, theirs: joinNames(failed.theirs.split(','), secrecy) };
}

/** Names of a list that a device sent; it may hold any text and any number of them. */
function joinNames(names: readonly string[], secrecy: Secrecy): string {
  const shown = names.slice(0, 40).map((name) => printable(secrecy.name(name.trim())).slice(0, 64));
  return shown.filter((name) => name !== '').join(', ');
}

function authFailed(attempt: Attempt): ShellError {
  const offered = joinNames(attempt.methods ?? [], attempt.secrecy) || 'none that it named';
  const message = attempt.answered
    ? `${attempt.address} refused the user name or password. Methods it offers: ${offered}.`
    : `${attempt.address} does not accept a password; methods it offers: ${offered}. Allow password login on the router (Yamaha RTX: \`sshd auth method\`).`;
  return new ShellError(attempt.answered ? 'auth_failed' : 'no_password_login', message, { methods: offered });
}
