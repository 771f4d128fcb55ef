// The error for a message that the other side did not take. Its kind says when to try again.

/**
 * `settings`: the operator must change something first. `event`: this event will never be taken. `limited`: too fast.
 * `refused`: for a reason we do not know. `unreachable`: no understandable answer; whether it was taken is not known.
 */
export type SendFailureKind = 'settings' | 'event' | 'limited' | 'refused' | 'unreachable';

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
