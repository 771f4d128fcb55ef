// The request pipeline in front of the protocol. Each step checks one condition
// (docs/reference/wire-contract/7-mcp-http.md#order-of-the-checks; decision 004).

import { limits } from '#contract/limits.ts';
import { FixedWindowLimiter, Semaphore } from '#kernel/http/limiter.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { McpAudit } from '../audit.ts';
import type { HttpSettings } from '../settings.ts';
import type { ToolDefinition } from '../tool.ts';
import type { Authenticator } from './caller.ts';
import { parseMessage } from './message.ts';
import { createPreauthSteps } from './preauth-steps.ts';
import { refuse, refuseUnless } from './refusal.ts';
import type { Step } from './step.ts';

export interface StepOptions {
  settings: HttpSettings;
  tools: readonly ToolDefinition[];
  authenticator: Authenticator;
  audit: Pick<McpAudit, 'isWritten'>;
  clock: Clock;
}

/** All steps in order: those up to authentication, then those of an authenticated caller. */
export function createSteps({ settings, tools, authenticator, audit, clock }: StepOptions): readonly Step[] {
  const { rates } = settings;
  const window = (limit: number) => new FixedWindowLimiter(clock, limit, rates.windowMs, limits.mcpRateKeys);
  const whole = window(rates.global);
  const subjects = window(rates.subject);
  const clients = window(rates.client);
  const running = new Semaphore(settings.concurrent);
  const permissionOf = new Map(tools.map(({ name, permission }) => [name, permission]));

  return [
    {
      name: 'audit',
      pass: () => (audit.isWritten() ? null : refuse.unaudited()),
    },
    ...createPreauthSteps({ settings, authenticator, clock }),
    {
      name: 'allowance of the subject',
      pass: ({ caller }) => refuseUnless('subject_rate_limit', subjects, subjects.take(caller?.subject ?? '')),
    },
    {
      name: 'allowance of the client',
      pass: ({ caller }) => refuseUnless('client_rate_limit', clients, clients.take(caller?.client ?? '')),
    },
    {
      name: 'one message',
      pass(exchange) {
        const parsed = parseMessage(exchange.body);
        if ('refusal' in parsed) {
          return parsed.refusal;
        }
        exchange.message = parsed.message;
        return null;
      },
    },
    {
      name: 'scope of the tool',
      pass({ caller, message }) {
        const needed = permissionOf.get(message?.tool ?? '');
        return needed === undefined || caller?.granted.has(needed) ? null : authenticator.insufficient();
      },
    },
    {
      name: 'accepted answers',
      pass: ({ headers }) => (acceptsBoth(headers.accept) ? null : refuse.accept()),
    },
    {
      name: 'allowance of the whole host',
      pass: () => refuseUnless('global_rate_limit', whole, whole.take('host')),
    },
    {
      name: 'tool calls at once',
      pass(exchange) {
        if (exchange.message?.method !== 'tools/call') {
          return null;
        }
        const release = running.tryTake();
        if (release === null) {
          return refuse.limited('concurrency_limit', 1000);
        }
        exchange.onEnd(release);
        return null;
      },
    },
  ];
}

/** Wildcards do not count: step 12 of the order asks for both types by name. */
function acceptsBoth(accept = ''): boolean {
  const types = accept.split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase());
  return types.includes('application/json') && types.includes('text/event-stream');
}
