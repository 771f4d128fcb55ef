// MCP specification: limits, deadlines, error results and the audit trail.
import { type Requirement, stated } from './requirement.ts';

const limits = [
  ...stated(2, '8', {
    'mcp.limits.three-buckets': 'three independent buckets all must allow a request',
    'mcp.limits.concurrency-separate': 'a separate concurrency cap applies',
    'mcp.limits.both-modes': 'the limits cover both HTTP modes',
    'mcp.limits.global-60': 'MCP_RATE_LIMIT_GLOBAL is 60 per minute for the whole host',
    'mcp.limits.subject-30': 'MCP_RATE_LIMIT_SUBJECT is 30 per minute for one subject',
    'mcp.limits.client-30': 'MCP_RATE_LIMIT_CLIENT is 30 per minute for one client',
    'mcp.limits.concurrent-4': 'MCP_MAX_CONCURRENT is 4 simultaneous tool calls',
    'mcp.limits.body-256kb': 'MCP_MAX_BODY is 256kb',
    'mcp.limits.body-first': 'the body limit applies before parsing and authentication',
    'mcp.limits.trust-proxy': 'MCP_TRUST_PROXY, unset, takes exact IPs and IPv4 CIDRs of proxies, comma-separated',
    'mcp.limits.request-timeout': 'MCP_REQUEST_TIMEOUT_MS is 30000, the deadline of one exchange',
    'mcp.limits.request-timeout-aborts': 'the exchange deadline aborts the internal API call and ends the response',
    'mcp.limits.api-timeout': 'MCP_API_TIMEOUT_MS is 15000, the deadline of one internal API call',
    'mcp.limits.timeout-range': 'timeouts are whole milliseconds from 1 through 600000',
    'mcp.limits.timeout-invalid': 'an invalid timeout falls back to its default',
    'mcp.limits.rate-invalid': 'a rate that is not a positive integer falls back to its default',
  }),
  ...stated(2, '7', {
    'mcp.errors.429': 'a rate limit answers 429 with Retry-After',
    'mcp.errors.504': 'a deadline exceeded before the response starts answers 504',
    'mcp.errors.deadline-streaming': 'a deadline exceeded after streaming began is recorded as request_timeout',
  }),
];

const audit = [
  ...stated(2, '2 Audit', {
    'mcp.audit.pseudonyms': 'OAuth subject and client id are pseudonymised with MCP_AUDIT_HMAC_KEY',
    'mcp.audit.tool-row': 'a row has tool name, granted scopes, outcome, reason code, request id and duration',
    'mcp.audit.on-completion': 'tool calls are recorded when the handler completes, not when a stream closes',
    'mcp.audit.request-row': 'request-level rows have the bounded MCP method and the HTTP status',
    'mcp.audit.address-hash': 'the client address is stored only as a keyed hash',
    'mcp.audit.never-arguments': 'tool arguments are never recorded',
    'mcp.audit.never-mac': 'MAC addresses are never recorded',
    'mcp.audit.never-notes': 'device note bodies are never recorded',
    'mcp.audit.never-tokens': 'access tokens and raw JWTs are never recorded',
    'mcp.audit.never-bodies': 'response bodies are never recorded',
    'mcp.audit.never-provider-text': 'provider error text is never recorded',
  }),
  ...stated(2, '8', {
    'mcp.audit.store-writable': 'the HTTP endpoint fails to start if the audit store cannot be verified writable',
    'mcp.audit.store-separate': "the audit store is separate from the service's own audit trail",
    'mcp.audit.180-days': 'entries older than 180 days are pruned at start-up and every 24 hours',
  }),
  ...stated(2, '7', {
    'mcp.reason.unauthorized': 'audit reason unauthorized',
    'mcp.reason.bad-request': 'audit reason bad_request',
    'mcp.reason.not-found': 'audit reason not_found',
    'mcp.reason.method-not-allowed': 'audit reason method_not_allowed',
    'mcp.reason.payload-too-large': 'audit reason payload_too_large',
    'mcp.reason.client-error': 'audit reason client_error',
    'mcp.reason.tool-error': 'audit reason tool_error',
    'mcp.reason.global-rate-limit': 'audit reason global_rate_limit',
    'mcp.reason.subject-rate-limit': 'audit reason subject_rate_limit',
    'mcp.reason.client-rate-limit': 'audit reason client_rate_limit',
    'mcp.reason.concurrency-limit': 'audit reason concurrency_limit',
    'mcp.reason.request-timeout': 'audit reason request_timeout',
    'mcp.reason.invalid-token': 'audit reason invalid_token',
    'mcp.reason.insufficient-scope': 'audit reason insufficient_scope',
    'mcp.reason.server-error': 'audit reason server_error',
  }),
];

export const mcpLimits: readonly Requirement[] = [...limits, ...audit];
