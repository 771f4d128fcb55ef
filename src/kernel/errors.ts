// The registry of errors: every stable `code` a caller can see, and its HTTP status.

/**
 * Stable snake_case code → HTTP status (docs/reference/wire-contract/1-http-rules.md#13-status-codes). Pinned in
 * test/pins/errors.txt.
 */
export const statusByCode = {
  invalid_body: 400,
  invalid_query: 400,
  invalid_params: 400,
  malformed_json: 400,
  malformed_request: 400,
  router_limit: 400,
  router_kind_fixed: 400,
  router_address: 400,
  router_password_required: 400,
  routerIpPrivate: 400,
  address_not_public: 400,
  password_rejected: 400,
  log_path_rejected: 400,
  oidc_incomplete: 400,
  token_or_userid_missing: 400,
  chat_refused: 400,
  vendorADetectMissing: 400,
  vendorBDetectMissing: 400,
  unsupported_schema_version: 400,
  observation_window: 400,
  agent_transport: 400,
  range_too_long: 400,
  upload_rejected: 400,
  ai_disabled: 400,
  ai_offline: 400,
  ai_model_missing: 400,
  ai_key_missing: 400,
  ai_region_missing: 400,
  ai_consent_missing: 400,
  ai_endpoint_rejected: 400,
  ai_chat_missing: 400,
  digest_mismatch: 400,
  unauthorized: 401,
  login_failed: 401,
  mesh_login_refused: 401,
  enrollment_code_refused: 401,
  oidc_state_mismatch: 401,
  oidc_flow_expired: 401,
  oidc_denied: 401,
  oidc_code_rejected: 401,
  oidc_client_rejected: 401,
  oidc_exchange_failed: 401,
  oidc_issuer_mismatch: 401,
  oidc_audience: 401,
  oidc_nonce_mismatch: 401,
  oidc_token_invalid: 401,
  oidc_email_unverified: 401,
  oidc_email_not_allowed: 401,
  forbidden: 403,
  csrf_rejected: 403,
  offline_mode: 403,
  ai_consent_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  identity_limit: 409,
  enrollment_code_limit: 409,
  note_limit: 409,
  beacon_limit: 409,
  conversation_limit: 409,
  agent_revoked: 409,
  device_archived: 409,
  device_merged: 409,
  device_not_merged: 409,
  settings_changed: 409,
  backup_busy: 409,
  generation_damaged: 409,
  ai_busy: 409,
  ai_request_conflict: 409,
  ai_request_failed: 409,
  ai_preview_expired: 409,
  prune_running: 409,
  prune_ended: 409,
  prune_preview_required: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  login_locked: 429,
  stream_limit: 429,
  enrollment_throttled: 429,
  enrollment_requests_full: 429,
  agent_rate_limited: 429,
  agent_ingest_busy: 429,
  headers_too_large: 431,
  internal: 500,
  save_failed: 500,
  backup_failed: 500,
  database_damaged: 500,
  restore_failed: 500,
  router_detect_failed: 502,
  router_update_failed: 502,
  vendorADetectFailed: 502,
  vendorBDetectFailed: 502,
  upstream_failed: 502,
  chat_unreachable: 502,
  oidc_test_failed: 502,
  ai_key_rejected: 502,
  ai_limited: 502,
  ai_model_unknown: 502,
  ai_answer_refused: 502,
  ai_prompt_cut: 502,
  ai_failed: 502,
  auth_not_initialised: 503,
  database_busy: 503,
  not_ready: 503,
  too_many_streams: 503,
  oidc_not_configured: 503,
  oidc_offline: 503,
  oidc_issuer_down: 503,
  oidc_issuer_metadata: 503,
  oidc_pkce_unsupported: 503,
  busy: 503,
  ai_timeout: 504,
} as const;

export type ErrorCode = keyof typeof statusByCode;

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
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = statusByCode[code];
    this.details = extras.details ?? {};
    this.headers = extras.headers ?? {};
  }
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
