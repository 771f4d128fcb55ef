// What the OIDC library throws → our codes. Its errors carry the claims, so they are read here and never passed on.
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { AppError, type ErrorCode } from '#kernel/errors.ts';

/** The AppError in the chain of causes, such as a failure of the bounded fetch. */
export function appErrorIn(thrown: unknown): AppError | undefined {
  return causesOf(thrown).find((one) => one instanceof AppError);
}

/** The library's own words for what it refused: fixed sentences, without values of the document or token. */
export function libraryReason(thrown: unknown): string {
  const worded = causesOf(thrown).filter((one) => one instanceof Error && 'code' in one) as Error[];
  return worded.at(-1)?.message ?? 'it could not be understood';
}

/** Any failure of exchanging a code, as AppError 401. */
export function exchangeFailure(thrown: unknown): AppError {
  const own = appErrorIn(thrown);
  if (own) {
    return own.status === 401 ? own : new AppError('oidc_exchange_failed', `${own.message}: log in again later`);
  }
  if (thrown instanceof ResponseBodyError && thrown.error === 'invalid_grant') {
    return new AppError('oidc_code_rejected', 'the issuer did not accept its own login code: log in again');
  }
  if (thrown instanceof WWWAuthenticateChallengeError || thrown instanceof ResponseBodyError) {
    return new AppError(
      'oidc_client_rejected',
      'the issuer refused the client id or secret of this hub: an administrator must correct the OIDC settings',
    );
  }
  if (thrown instanceof AuthorizationResponseError) {
    return new AppError('oidc_denied', 'the issuer ended the login: log in again');
  }
  return tokenFailure(thrown);
}

const sentences = {
  oidc_issuer_mismatch: 'the ID token names another issuer than the configured one',
  oidc_audience: 'the ID token is not meant for this hub alone: check the client at the issuer',
  oidc_nonce_mismatch: 'the ID token belongs to another login: log in again',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Codes of the library for an answer that is no token response at all. */
const strangeAnswers: readonly unknown[] = ['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];

function tokenFailure(thrown: unknown): AppError {
  const code = codeOfClaim(thrown);
  if (code) {
    return new AppError(code, sentences[code]);
  }
  return causesOf(thrown).some((one) => strangeAnswers.includes(memberOf(one, 'code')))
    ? new AppError('oidc_exchange_failed', 'the issuer gave an unexpected answer to the login code: log in again later')
    : new AppError('oidc_token_invalid', `the ID token was refused: ${libraryReason(thrown)}`);
}

function codeOfClaim(thrown: unknown): keyof typeof sentences | null {
  for (const one of causesOf(thrown)) {
    const claims = memberOf(one, 'claims');
    switch (memberOf(one, 'claim')) {
      case 'iss':
        return 'oidc_issuer_mismatch';
      case 'aud':
      case 'azp':
        return 'oidc_audience';
      case 'nonce':
        return 'oidc_nonce_mismatch';
      default:
        break;
    }
    if (typeof claims === 'object' && claims !== null && !('nonce' in claims)) {
      return 'oidc_nonce_mismatch';
    }
  }
  return null;
}

/** The error and what caused it, outermost first. */
function causesOf(thrown: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let one = thrown; one !== undefined && chain.length < 10; one = memberOf(one, 'cause')) {
    chain.push(one);
  }
  return chain;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
