// Refusals whose reason a page says in its own language: `errorFacts` of the body says the same as the sentence.
import type { CauseCode, Fact } from '#contract/facts.ts';
import { AppError, type ErrorCode, type ErrorExtras, messageOf } from '#kernel/errors.ts';

export function createFact(code: Fact['code'], values: Fact['values'] = {}): Fact {
  return { code, values };
}

export function createRefusal(
  code: ErrorCode,
  message: string,
  facts: readonly Fact[],
  { details, ...extras }: ErrorExtras = {},
): AppError {
  return new AppError(code, message, { ...extras, details: { ...details, errorFacts: facts } });
}

/** Returns the facts that `createRefusal` put into this error; an empty list for any other error. */
export function listFacts(error: unknown): readonly Fact[] {
  return error instanceof AppError ? ((error.details.errorFacts ?? []) as readonly Fact[]) : [];
}

/** Returns the message as `detail`, and a `cause` when this error, or one that led to it, has a known code. */
export function describeCause(error: unknown): { detail: string; cause?: CauseCode } {
  const cause = findCause(error);
  return { detail: messageOf(error), ...(cause && { cause }) };
}

/** As `describeCause`, for an error whose message may not be shown. `detail` is the code, absent when that is empty. */
export function describeCode(code: string): { detail?: string; cause?: CauseCode } {
  const cause = toCause(code);
  return { ...(code && { detail: code }), ...(cause && { cause }) };
}

/** Returns the cause for a code of the system, TLS, undici or SQLite, such as `ENOSPC`; undefined for others. */
export function toCause(code: string): CauseCode | undefined {
  return causes[code] ?? causes[code.split('_').slice(0, 2).join('_')];
}

function findCause(error: unknown): CauseCode | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  const known = listFacts(error).find(({ values }) => values.cause !== undefined);
  const own = 'code' in error ? toCause(String(error.code)) : undefined;
  return (known?.values.cause as CauseCode | undefined) ?? own ?? findCause(error.cause);
}

const causes: Readonly<Record<string, CauseCode>> = {
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  SQLITE_FULL: 'no_space',
  EACCES: 'not_permitted',
  EPERM: 'not_permitted',
  EROFS: 'read_only',
  SQLITE_READONLY: 'read_only',
  ENOENT: 'not_opened',
  ENOTDIR: 'not_opened',
  EEXIST: 'not_opened',
  SQLITE_CANTOPEN: 'not_opened',
  EMFILE: 'too_many_files',
  ENFILE: 'too_many_files',
  EIO: 'disk_fault',
  SQLITE_IOERR: 'disk_fault',
  SQLITE_CORRUPT: 'damaged',
  SQLITE_NOTADB: 'damaged',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timed_out',
  UND_ERR_CONNECT_TIMEOUT: 'timed_out',
  UND_ERR_HEADERS_TIMEOUT: 'timed_out',
  UND_ERR_BODY_TIMEOUT: 'timed_out',
  EHOSTUNREACH: 'no_way',
  ENETUNREACH: 'no_way',
  ENOTFOUND: 'name_unknown',
  EAI_AGAIN: 'name_unknown',
  ECONNRESET: 'cut',
  EPIPE: 'cut',
  UND_ERR_SOCKET: 'cut',
  CERT_HAS_EXPIRED: 'certificate_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_other_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_unknown',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_unknown',
  EPROTO: 'tls_failed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_failed',
};
