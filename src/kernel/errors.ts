// Errors with a stable `code`, which a caller sees with its HTTP status and a message.

/** The codes of the kernel itself → HTTP status (docs/reference/wire-contract/1-http-rules.md#13-status-codes). */
export const kernelStatusByCode = {
  invalid_body: 400,
  invalid_query: 400,
  invalid_params: 400,
  malformed_json: 400,
  malformed_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  save_failed: 500,
  database_damaged: 500,
  database_busy: 503,
  not_ready: 503,
  busy: 503,
} as const;

/** The codes that may be thrown. A program adds its own by declaration merging, and their statuses by `addErrorCodes`. */
export interface ErrorCodes extends Record<keyof typeof kernelStatusByCode, number> {}

export type ErrorCode = keyof ErrorCodes;

const statuses: Record<string, number> = { ...kernelStatusByCode };

export function addErrorCodes(statusByCode: Readonly<Record<string, number>>): void {
  Object.assign(statuses, statusByCode);
}

/** 500 for a code that was not added. */
export function httpStatus(code: string): number {
  return statuses[code] ?? 500;
}

export interface ErrorExtras {
  /** Extra top-level members of the error body, such as `diag` of a failed router detection. */
  details?: Record<string, unknown>;
  /** Extra response headers, such as `Allow` or `Retry-After`. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The only error class for handlers: its message is shown to the caller, so it says what failed and what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = extras.details ?? {};
    this.headers = extras.headers ?? {};
  }

  get status(): number {
    return httpStatus(this.code);
  }
}

/** What is wrong with a member as a code and values, for a page in another language. */
export interface FieldProblem {
  /** `missing`, or the code of the schema's issue, such as `too_big`. */
  code: string;
  /** The limit that was passed; null where there is none. */
  limit: number | null;
  /** The unit of `limit`: `characters` or `entries`; null where the number itself is limited. */
  unit: string | null;
}

/**
 * A refusal of one member of what was sent. Its path, such as `dns.logFile`, begins the message and is `field` of the body.
 * `problem`: the reason as a code and values, or as a code alone; absent where only the sentence says it.
 */
export function refuseField(code: ErrorCode, field: string, reason: string, problem?: FieldProblem | string): AppError {
  const whole = typeof problem === 'string' ? { code: problem, limit: null, unit: null } : problem;
  return new AppError(code, `${field} ${reason}`, { details: { field, ...(whole && { problem: whole }) } });
}

/** A refusal that ends by itself: `say` gets the seconds until then, at least one, which `Retry-After` repeats. */
export function refusedFor(code: ErrorCode, waitMs: number, say: (seconds: number) => string): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError(code, say(seconds), { headers: { 'Retry-After': String(seconds) } });
}

/** The message of anything thrown, for logs and status lines. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
