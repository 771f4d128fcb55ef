// What ends a run with a sentence for the user: the exit code and the message, never a stack.

/** A reading or sending that failed: exit 1. The message says what to do next and holds no secret. */
export class Failure extends Error {}

/** The UPS did not accept user name and password. Never tried again: the product locks accounts. */
export class LoginFailure extends Failure {}

/** Somebody else is logged on, or our session is gone. One new try may help. */
export class SessionLost extends Failure {}

/** Several at once, each a sentence of its own. */
export class Failures extends Failure {
  readonly sentences: readonly string[];
  constructor(sentences: readonly string[]) {
    super(sentences.join('; '));
    this.sentences = sentences;
  }
}

/** A mistake in the command line: exit 2. */
export class UsageError extends Error {}

/** A signal asked the program to end. */
export class Interrupted extends Error {
  readonly exitCode: number;
  constructor(signal: NodeJS.Signals, number: number) {
    super(`ended by ${signal}`);
    this.exitCode = 128 + number;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
