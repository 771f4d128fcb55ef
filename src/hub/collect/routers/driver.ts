// What a router kind must be able to do. Two verbs over one shell; everything vendor-specific lives behind them.
import type { RouterNote } from '#contract/router-notes.ts';
import type { RouterKind } from '#contract/routers.ts';
import type { Lease, Neighbour } from '../../identify/devices/lan-rows.ts';
import type { Secrecy } from './shell/secrecy.ts';

export type { Lease, Neighbour, RouterKind };

/** One NAT session as the router's table shows it, already in canonical form. */
export interface Session {
  /** Upper-case protocol name (`TCP`, `UDP`, `ICMP`, `ESP`, `GRE`) or its IP protocol number as text. */
  proto: string;
  /** LAN side, canonical IP literal. */
  src: string;
  sport: number | null;
  /** Real destination (outside global), canonical IP literal. */
  dst: string;
  /** 0…65535; 0 where the protocol has no ports or the number is a query id. */
  dport: number;
  /** Remaining NAT timeout in seconds, where the router shows or implies it. */
  ttl: number | null;
  /** Seconds since the entry was made, where the router shows it. */
  ageSec: number | null;
  /** Seconds since the last packet, where the router shows it. */
  idleSec: number | null;
  /**
   * What the source is translated to, as the outside sees it: canonical IP literal, and port or query id. Null where the
   * table does not show it.
   */
  outerAddress: string | null;
  outerPort: number | null;
  /** VRF the row was listed under, where the router has several. */
  vrf: string | null;
  /**
   * When its times were printed, hub time in epoch milliseconds: not before `printedFrom`, when the table was asked for,
   * and not after `printedTo`, when the line was here. The two are equal where the times are those of the router's clock.
   */
  printedFrom: number;
  printedTo: number;
}

/** What was not understood: counted always, with a few samples for the status line. */
export interface Unparsed {
  count: number;
  /** At most 5 lines, each at most 120 printable characters. */
  samples: readonly string[];
}

/** One read of a router. */
export interface Snapshot {
  sessions: readonly Session[];
  /** False when the table was cut, its declared total was missed, or rows were dropped: then nothing may be ended by absence. */
  complete: boolean;
  /** Sessions the router itself declares, when it does. */
  declared: number | null;
  /** `null` when this read did not ask for neighbours. */
  neighbours: readonly Neighbour[] | null;
  /** When the neighbours' ages were here, hub time in epoch milliseconds; `null` when they were not asked for. */
  neighboursAt: number | null;
  /** `null` when this read did not ask for leases. */
  leases: readonly Lease[] | null;
  unparsed: Unparsed;
  /** Whole rows of the session table whose form is not read. */
  unsupported: Unparsed;
  hostName: string;
  model: string;
  /** For the router's status: a fallback in use, a full table, an unset clock. */
  notes: readonly RouterNote[];
}

/** What detection of an unsaved definition found (docs/reference/wire-contract/4-endpoints.md#detection). */
export interface Detected {
  hostFp: string;
  hostName: string;
  model: string;
  version: string;
  lanIp: string;
  sessions: number;
  sessionsOk: boolean;
  /** vendor_a: the descriptor in use, and every one on the device. */
  descriptor: string | null;
  candidates: readonly { candidate: string; ok: boolean; sessions: number; interfaceName: string }[];
  /** vendor_a: descriptors named by the configuration. */
  fromConfig: readonly string[];
  /** vendor_b: what to do when the session table cannot be read without the enable secret; `null` when it was read. */
  privilegeError: string | null;
  isExpectedOs: boolean;
  notes: readonly RouterNote[];
}

/** An interactive CLI session on a router. Commands never overlap. */
export interface Shell extends AsyncDisposable {
  /** SHA-256 of the host key, lower-case hex. */
  readonly hostFp: string;
  /** Text before the prompt's `>` or `#`; `''` when the prompt has none or holds a secret. */
  readonly hostName: string;
  /** What the device printed before its first prompt; it may hold a secret, so it is for reading, not for showing. */
  readonly banner: string;
  /** Whatever the device says is shown only through this. */
  readonly secrecy: Secrecy;
  /** `true` when the prompt ends in `#`. */
  privileged(): boolean;
  /**
   * Runs one command and resolves to its output lines, without echo and prompt. With `onLine`, lines are handed over as
   * they arrive and are not stored; what it throws ends the command and closes the connection. Lines holding control bytes
   * or undecodable characters are not handed over but counted in `Output.noisy`. Rejects with a ShellError when the answer
   * does not end in a prompt, and with `too_much_output` when it is longer than any router's.
   */
  run(command: string, options?: RunOptions): Promise<Output>;
  /** Raises the privilege with `enable` or `administrator`; rejects with ShellError `escalation_failed`. */
  escalate(command: string, secret: string, signal?: AbortSignal): Promise<void>;
  /** Decode what follows with this WHATWG encoding label (`shift_jis`, `euc-jp`, `utf-8`). */
  decodeAs(encoding: string): void;
}

export interface RunOptions {
  signal?: AbortSignal;
  onLine?: (line: string) => void;
  /** Longest silence in milliseconds before the command is given up; 15,000 when absent. */
  idleMs?: number;
}

export interface Output {
  /** Empty when `onLine` was given. */
  lines: string[];
  noisy: number;
  /** Times the device asked for a key to go on. */
  pages: number;
  /** Times that key had to be pressed a second time, because nothing followed the first. */
  pressedAgain: number;
}

/**
 * Why talking to a router failed (docs/reference/routers.md#5-failure-classes). Each class has a sentence that says
 * what to do.
 */
export type FailureClass =
  | 'unreachable'
  | 'silent_port'
  | 'closed_early'
  | 'no_common_algorithm'
  | 'host_key_changed'
  | 'auth_failed'
  | 'shell_refused'
  | 'login_restricted'
  | 'no_prompt'
  | 'wrong_vendor'
  | 'escalation_failed'
  | 'privilege'
  | 'cut_off'
  | 'paging_stuck'
  | 'descriptor_missing'
  | 'timed_out'
  | 'too_much_output'
  | 'unreadable';

/** Reasons that differ from the usual one of their class, and the class. */
const variants = {
  session_closed: 'closed_early',
  old_algorithms: 'no_common_algorithm',
  no_password_login: 'auth_failed',
  login_asked: 'no_prompt',
  login_late: 'timed_out',
  password_asked: 'timed_out',
  answer_late: 'timed_out',
  paging_endless: 'paging_stuck',
  descriptor_invalid: 'descriptor_missing',
  no_descriptors: 'descriptor_missing',
  show_refused: 'privilege',
  no_secret_asked: 'escalation_failed',
} as const satisfies Record<string, FailureClass>;
type Variant = keyof typeof variants;

/** A failure with its class; the message is shown to the operator and holds no secret. */
export class ShellError extends Error {
  readonly failure: FailureClass;
  /** What the message says, where the class alone does not. */
  readonly variant: Variant | null;
  /** Facts for diagnostics, such as the two fingerprints of a changed host key. */
  readonly facts: Readonly<Record<string, string>>;
  /** Whole rows of the session table that were read before the answer broke off: true as far as they go. */
  readonly sessions: readonly Session[];

  constructor(
    reason: FailureClass | Variant,
    message: string,
    facts: Record<string, string> = {},
    cause?: unknown,
    sessions: readonly Session[] = [],
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ShellError';
    this.variant = isVariant(reason) ? reason : null;
    this.failure = isVariant(reason) ? variants[reason] : reason;
    this.facts = facts;
    this.sessions = sessions;
  }

  /** The same failure with the sessions that were read before it. */
  after(sessions: readonly Session[]): ShellError {
    return this.with(this.facts, sessions);
  }

  /** The same failure with other facts. */
  with(facts: Record<string, string>, sessions = this.sessions): ShellError {
    return new ShellError(this.variant ?? this.failure, this.message, facts, this.cause, sessions);
  }
}

function isVariant(reason: FailureClass | Variant): reason is Variant {
  return reason in variants;
}

/** What a driver needs of the router's record. */
export interface DriverSettings {
  kind: RouterKind;
  /** vendor_a: NAT descriptor number as text, `1`…`2147483647`. */
  nat: string;
  enablePass: string | null;
}

/** What a driver remembers of a router between polls, such as a command its firmware does not know. */
export interface DriverMemory {
  /** Commands the firmware refused, not to be tried again on this connection. */
  refused: Set<string>;
  encoding: string | null;
  model: string | null;
  /** The connection whose terminal was already prepared (vendor_b). */
  prepared?: Shell;
  /** NAT timer of the configured descriptor in seconds; `null` when it differs by protocol (vendor_a). */
  natTimerSec?: number | null;
}

/** Why a line of a session table gave no session. */
export type UnreadReason = 'damaged row' | 'cut by a log line' | 'piece of a row' | 'other text' | 'unsupported form';

/** Told of each such line, as the router printed it: it may hold a secret. */
export type OnUnread = (line: string, reason: UnreadReason) => void;

export interface CollectOptions {
  settings: DriverSettings;
  memory: DriverMemory;
  /** Ask for ARP and IPv6 neighbours too. */
  neighbours: boolean;
  /** Ask for DHCP leases too. */
  leases: boolean;
  /** Hub time, epoch milliseconds. */
  now: () => number;
  signal: AbortSignal;
  /** Told of each line of the NAT table that gave no session, for whoever looks at a capture. */
  onUnread?: OnUnread;
}

export interface RouterDriver {
  readonly kind: RouterKind;
  detect(shell: Shell, options: CollectOptions): Promise<Detected>;
  collect(shell: Shell, options: CollectOptions): Promise<Snapshot>;
}
