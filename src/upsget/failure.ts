// Errors that end a run with a message and an exit code, without a stack trace.

/** A failed reading or output: exit 1. The message says what to do and contains no secret. */
export class Failure extends Error {}

/** The UPS rejected user name and password. Never retried: the product locks accounts. */
export class LoginFailure extends Failure {}

/** Another user is logged on, or the session ended. One retry may help. */
export class SessionLost extends Failure {}

export class Failures extends Failure {
  readonly sentences: readonly string[];
  constructor(sentences: readonly string[]) {
    super(sentences.join('; '));
    this.sentences = sentences;
  }
}

/** An error in the command line: exit 2. */
export class UsageError extends Error {}

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

export function getErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
