// Maps anything thrown to an AppError and its error body. Unknown errors disclose nothing.
import { AppError } from '../errors.ts';
import { isUnreadable } from '../sqlite/refused-write.ts';

export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) {
    return thrown;
  }
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : '';
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('payload_too_large', 'the body is larger than this path accepts');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type', 'send the body as application/json');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError('malformed_json', 'the body is not valid JSON');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_ASYNC_CONSTRAINT':
      return new AppError('invalid_params', 'the path is not a valid URL path');
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_STATIC_FORBIDDEN_PATH':
      return new AppError('not_found', 'there is nothing at this path');
    default:
      break;
  }
  const status =
    typeof thrown === 'object' && thrown !== null && 'statusCode' in thrown ? Number(thrown.statusCode) : 500;
  if (thrown instanceof SyntaxError || status === 400) {
    return new AppError('malformed_json', 'the request could not be read', { cause: thrown });
  }
  if (isUnreadable(thrown)) {
    return new AppError(
      'database_damaged',
      'the database is damaged, the log says where: put a backup back (gatehouse backup restore)',
      { cause: thrown },
    );
  }
  return new AppError('internal', 'something failed inside; the log has the details under this request id', {
    cause: thrown,
  });
}

/**
 * The body of every error (docs/reference/wire-contract/1-http-rules.md#11-headers-ids-bodies). A `requestId` in the
 * details wins: it names another request than this one.
 */
export function errorBody(failure: AppError, requestId: string): Record<string, unknown> {
  const { requestId: named = requestId, ...details } = failure.details;
  return { ...details, error: failure.message, code: failure.code, requestId: named };
}
