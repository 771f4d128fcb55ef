// What a request must pass before the protocol sees it, in order (wire contract 7.2). Each step looks at one thing and
// either lets the exchange go on or refuses it.

import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { RateWindow, Slots, type Taken } from '#kernel/limiter.ts';
import type { HttpSettings } from '../settings.ts';
import type { ToolDefinition } from '../tool.ts';
import { readBody } from './body.ts';
import { type Authenticator, isRefusal } from './caller.ts';
import type { Exchange } from './exchange.ts';
import { parseMessage } from './message.ts';
import { createNameCheck } from './own-names.ts';
import { type Refusal, refuse } from './refusal.ts';

export interface Step {
  name: string;
  pass(exchange: Exchange): Refusal | null | Promise<Refusal | null>;
}

export interface StepOptions {
  settings: HttpSettings;
  tools: readonly ToolDefinition[];
  authenticator: Authenticator;
  clock: Clock;
}

/** The steps, read from top to bottom. */
export function createSteps({ settings, tools, authenticator, clock }: StepOptions): readonly Step[] {
  const { rates, bodyBytes } = settings;
  const window = (limit: number) => new RateWindow(clock, limit, rates.windowMs, limits.mcpRateKeys);
  const refused = window(limits.mcpRefusedPerAddress);
  const whole = window(rates.global);
  const subjects = window(rates.subject);
  const clients = window(rates.client);
  const running = new Slots(settings.concurrent);
  const nameProblem = createNameCheck(settings);
  const permissionOf = new Map(tools.map(({ name, permission }) => [name, permission]));
  const limited = (reason: Parameters<typeof refuse.limited>[0], of: RateWindow, taken: Taken) =>
    taken.allowed ? null : refuse.limited(reason, of.remainingMs(taken));

  return [
    {
      name: 'method',
      pass: ({ httpMethod }) => (httpMethod === 'POST' ? null : refuse.method()),
    },
    {
      name: 'own names',
      pass({ headers }) {
        const problem = nameProblem(headers);
        return problem === null ? null : refuse.foreign(problem);
      },
    },
    {
      name: 'addresses that were refused too often',
      pass: ({ address }) => limited('client_rate_limit', refused, refused.look(address)),
    },
    {
      name: 'allowance of the whole host',
      pass: () => limited('global_rate_limit', whole, whole.take('host')),
    },
    {
      name: 'media type',
      pass: ({ headers }) => (isPlainJson(headers) ? null : refuse.mediaType()),
    },
    {
      name: 'body limit',
      async pass(exchange) {
        const body = await readBody(exchange.incoming, bodyBytes, exchange.signal);
        exchange.body = body ?? exchange.body;
        return body === null ? refuse.tooLarge(bodyBytes) : null;
      },
    },
    {
      name: 'authentication',
      async pass(exchange) {
        const outcome = await authenticator.authenticate(exchange.headers, exchange.signal);
        if (!isRefusal(outcome)) {
          exchange.caller = outcome;
          return null;
        }
        if (outcome.status === 401) {
          refused.take(exchange.address);
        }
        return outcome;
      },
    },
    {
      name: 'allowance of the subject',
      pass: ({ caller }) => limited('subject_rate_limit', subjects, subjects.take(caller?.subject ?? '')),
    },
    {
      name: 'allowance of the client',
      pass: ({ caller }) => limited('client_rate_limit', clients, clients.take(caller?.client ?? '')),
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
      name: 'tool calls at once',
      pass(exchange) {
        if (exchange.message?.method !== 'tools/call') {
          return null;
        }
        const giveBack = running.tryTake();
        if (giveBack === null) {
          return refuse.limited('concurrency_limit', 1000);
        }
        exchange.onEnd(giveBack);
        return null;
      },
    },
  ];
}

function isPlainJson(headers: Exchange['headers']): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase() === 'application/json' && headers['content-encoding'] === undefined;
}

/** Wildcards do not count: the specification asks for both by name. */
function acceptsBoth(accept = ''): boolean {
  const types = accept.split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase());
  return types.includes('application/json') && types.includes('text/event-stream');
}
