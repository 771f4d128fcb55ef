// Parses a body as one JSON-RPC message, as far as limits, scopes and the audit need it. The SDK validates the rest.
import type { Message } from './exchange.ts';
import { type Refusal, refuse } from './refusal.ts';

/** Returns the message or a refusal. Batches are refused: one POST is one call in rate limits and audit. */
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
  return {
    message: { method, tool: readToolName(method, message.params), isRequest: 'id' in message, value: message },
  };
}

function readToolName(method: string | null, params: unknown): string | null {
  if (method !== 'tools/call' || typeof params !== 'object' || params === null || !('name' in params)) {
    return null;
  }
  return typeof params.name === 'string' ? params.name : null;
}
