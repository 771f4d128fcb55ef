// A body as one JSON-RPC message: only as much of it as limits, scopes and the audit need. The SDK checks the rest.
import type { Message } from './exchange.ts';
import { type Refusal, refuse } from './refusal.ts';

/** Either the message or why it is none. A batch is refused: one POST is one call, one allowance, one row of the audit. */
export function parseMessage(body: Buffer): { message: Message } | { refusal: Refusal } {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return { refusal: refuse.notJson() };
  }
  if (Array.isArray(value)) {
    return { refusal: refuse.batch() };
  }
  if (typeof value !== 'object' || value === null) {
    return { refusal: refuse.notAMessage() };
  }
  const message = value as Record<string, unknown>;
  const method = typeof message.method === 'string' ? message.method : null;
  return { message: { method, tool: toolOf(method, message.params), isRequest: 'id' in message, value: message } };
}

function toolOf(method: string | null, params: unknown): string | null {
  if (method !== 'tools/call' || typeof params !== 'object' || params === null || !('name' in params)) {
    return null;
  }
  return typeof params.name === 'string' ? params.name : null;
}
