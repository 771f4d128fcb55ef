// Writes one audit row for each exchange, in whatever order its tool and its connection end, and a second one only when
// the response was aborted after the tool had succeeded (docs/reference/wire-contract/7-mcp-http.md#73-audit-rows).
import type { AuditEntry, AuditReason, McpAudit } from '../audit.ts';
import type { CallOutcome } from '../server.ts';
import type { Exchange } from './exchange.ts';
import { isLimit } from './refusal.ts';

const methods = new Set([
  'initialize',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'logging/setLevel',
  'completion/complete',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/read',
  'resources/templates/list',
]);

export interface AuditRecorder {
  /** The handler of a tool starts; its row follows when it ends. */
  toolBegan(exchange: Exchange): void;
  toolEnded(exchange: Exchange, tool: string | null, outcome: CallOutcome): void;
  /** The exchange is over; `status` is null when nothing was answered. */
  ended(exchange: Exchange, status: number | null): void;
  notFound(requestId: string, address: string): void;
}

/** `toolNames` are the names that a row may contain; any other name becomes `other`. */
export function createAuditRecorder(audit: McpAudit, toolNames: ReadonlySet<string>): AuditRecorder {
  const note = (
    exchange: Exchange,
    type: AuditEntry['type'],
    reason: AuditReason | null,
    status: number | null,
    name: string | null,
  ) =>
    audit.note({
      type,
      reason,
      status,
      subject: exchange.caller?.subject ?? null,
      client: exchange.caller?.client ?? null,
      address: exchange.address,
      tool: name,
      method: boundedMethod(exchange),
      scopes: [...(exchange.caller?.granted ?? [])],
      requestId: exchange.requestId,
      durationMs: exchange.elapsed(),
    });
  const bounded = (name: string | null) => (name !== null && toolNames.has(name) ? name : 'other');
  return {
    toolBegan(exchange) {
      exchange.toolRow = exchange.toolRow === 'none' ? 'coming' : exchange.toolRow;
    },
    toolEnded(exchange, tool, outcome) {
      if (exchange.toolRow === 'success' || exchange.toolRow === 'failure') {
        return;
      }
      const reason = callReason(exchange, outcome);
      exchange.toolRow = reason === null ? 'success' : 'failure';
      note(exchange, 'mcp_tool_call', reason, null, bounded(tool));
    },
    ended(exchange, status) {
      const { refusal, message, toolRow } = exchange;
      if (refusal && isLimit(refusal.reason)) {
        note(exchange, 'mcp_rate_limited', refusal.reason, status, null);
        return;
      }
      const reason = exchangeReason(exchange, status);
      if (toolRow === 'success' && reason === 'request_timeout') {
        note(exchange, 'mcp_request', reason, status, null);
      } else if (message?.method === 'tools/call') {
        if (toolRow === 'none') {
          exchange.toolRow = 'failure';
          note(exchange, 'mcp_tool_call', reason ?? 'bad_request', status, bounded(message.tool));
        }
      } else {
        note(exchange, 'mcp_request', reason, status, null);
      }
    },
    notFound(requestId, address) {
      const nobody = { subject: null, client: null, tool: null, method: null, scopes: [] };
      audit.note({
        type: 'mcp_request',
        reason: 'not_found',
        status: 404,
        address,
        ...nobody,
        requestId,
        durationMs: 0,
      });
    },
  };
}

function boundedMethod({ message }: Exchange): string | null {
  if (!message) {
    return null;
  }
  return message.method !== null && methods.has(message.method) ? message.method : 'other';
}

function callReason({ cut }: Exchange, outcome: CallOutcome): AuditReason | null {
  if (outcome === 'done') {
    return null;
  }
  if (outcome === 'unknown') {
    return 'bad_request';
  }
  if (outcome === 'invalid' || cut === null) {
    return 'tool_error';
  }
  return cut === 'deadline' ? 'request_timeout' : 'client_error';
}

function exchangeReason({ cut, refusal, rpcError }: Exchange, status: number | null): AuditReason | null {
  if (cut === 'deadline') {
    return 'request_timeout';
  }
  if (status === null) {
    return 'client_error';
  }
  if (refusal) {
    return refusal.reason;
  }
  if (cut === 'gone') {
    return 'client_error';
  }
  if (status >= 500) {
    return 'server_error';
  }
  if (rpcError !== null) {
    return status === 404 ? 'not_found' : 'bad_request';
  }
  if (status >= 400) {
    return status === 400 ? 'bad_request' : status === 404 ? 'not_found' : 'client_error';
  }
  return null;
}
