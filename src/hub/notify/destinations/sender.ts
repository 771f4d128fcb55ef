// What a destination is given to deliver, and how one kind of destination delivers it.

/** What people can be told of. */
export type ToldKind = 'threat' | 'beacon' | 'newDevice' | 'retroMatch' | 'router' | 'hub' | 'ai' | 'test';

/** Something that happened, ready to be told. The stored form is JSON. */
export interface ToldEvent {
  /** Identifies the event: of two with the same key a destination gets only the first. */
  key: string;
  kind: ToldKind;
  /** `resolved`: what an earlier event raised is over. */
  state: 'raised' | 'resolved';
  level: 'danger' | 'warning' | 'info';
  /** When it happened, epoch milliseconds. */
  at: number;
  /** Text of this program. */
  title: string;
  /** Facts in order of importance. `name` is stable, `label` is for people; values may come from the network and are not trusted. */
  facts: readonly { name: string; label: string; value: string }[];
  /** A text of several lines, not trusted either. */
  body?: string;
  /** Where the web UI shows it: an address of this hub. */
  link?: string;
  /** A signed address of one use, with buttons that act on the alert. */
  actionLink?: string;
}

/** One try to deliver an event. */
export interface Try {
  event: ToldEvent;
  /** The same UUID at every try of this event to this destination, so that the other side can tell repetitions. */
  id: string;
  /** The time of this try, epoch milliseconds. */
  now: number;
  signal: AbortSignal;
}

/** Delivers to one destination. Dispose of it when its settings change. */
export interface Sender extends AsyncDisposable {
  /** Resolves when the other side has taken the event. Rejects with a SendFailure, or with the reason of the signal. */
  send(one: Try): Promise<void>;
}

/**
 * `settings`: the operator must change something first. `event`: this event will never be taken. `limited`: too fast.
 * `unreachable`: no understandable answer; whether the event was taken is not known.
 */
export type SendFailureKind = 'settings' | 'event' | 'limited' | 'unreachable';

export class SendFailure extends Error {
  readonly kind: SendFailureKind;
  /** Stable, for example `http_404`, `refused_login`, `private_target`. */
  readonly code: string;
  /** Only of `limited`: how long the other side asks to wait, milliseconds. */
  readonly retryAfterMs: number;

  /** `message`: what happened and what to do, with the words of the other side where it gave some. */
  constructor(kind: SendFailureKind, code: string, message: string, retryAfterMs = 0) {
    super(message);
    this.name = 'SendFailure';
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
