// The steps up to authentication, in order. Failures count against the address, which then needs a valid credential. A
// request without a credential is no failure: it receives the challenge, with which an OAuth client starts.
import { limits } from '#contract/limits.ts';
import { FixedWindowLimiter } from '#kernel/http/limiter.ts';
import { clientKey } from '#kernel/net/address-key.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { HttpSettings } from '../settings.ts';
import { readBody } from './body.ts';
import { type Authenticator, isRefusal } from './caller.ts';
import type { Exchange } from './exchange.ts';
import { createNameCheck } from './host-check.ts';
import { type Refusal, refuse, refuseUnless } from './refusal.ts';
import type { Step } from './step.ts';

export interface PreauthOptions {
  settings: HttpSettings;
  authenticator: Authenticator;
  clock: Clock;
}

const authentication = 'authentication';

/** The last of these steps authenticates the caller. */
export function createPreauthSteps({ settings, authenticator, clock }: PreauthOptions): readonly Step[] {
  const { rates, bodyBytes } = settings;
  const window = (limit: number) => new FixedWindowLimiter(clock, limit, rates.windowMs, limits.mcpRateKeys);
  const refused = window(limits.mcpRefusedPerAddress);
  const unsigned = window(limits.mcpUnsignedPerAddress);
  // As large as the global limit, so that clients behind one address do not block each other.
  const judged = window(limits.mcpJudgedPerAddress + rates.global);
  const nameProblem = createNameCheck(settings);

  /** Authenticates the caller. Validating credentials is expensive, so it is limited for each address. */
  const identify = async (exchange: Exchange): Promise<Refusal | null> => {
    const { address, headers, signal } = exchange;
    const taken = authenticator.isPresented(headers) ? judged.take(clientKey(address)) : null;
    const waits = taken && refuseUnless('client_rate_limit', judged, taken);
    const outcome = waits ?? (await authenticator.authenticate(headers, signal));
    if (isRefusal(outcome)) {
      return outcome;
    }
    exchange.caller = outcome;
    return null;
  };
  const steps: readonly Step[] = [
    {
      name: 'method',
      pass: ({ httpMethod }) => (httpMethod === 'POST' ? null : refuse.method()),
    },
    {
      name: 'Host and Origin',
      pass({ headers }) {
        const problem = nameProblem(headers);
        return problem === null ? null : refuse.foreign(problem);
      },
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
      name: authentication,
      pass: (exchange) => (exchange.caller === null ? identify(exchange) : null),
    },
  ];
  return [
    {
      name: 'addresses that were refused too often',
      async pass(exchange) {
        const key = clientKey(exchange.address);
        if (!authenticator.isPresented(exchange.headers)) {
          return refuseUnless('client_rate_limit', unsigned, unsigned.take(key));
        }
        const waits = refuseUnless('client_rate_limit', refused, refused.look(key));
        return waits !== null && (await identify(exchange)) === null ? null : waits;
      },
    },
    ...steps.map(({ name, pass }) => ({
      name,
      async pass(exchange: Exchange) {
        const refusal = await pass(exchange);
        const isUnsigned = name === authentication && !authenticator.isPresented(exchange.headers);
        if (refusal === null || exchange.caller !== null || isUnsigned) {
          return refusal;
        }
        return refuseUnless('client_rate_limit', refused, refused.take(clientKey(exchange.address))) ?? refusal;
      },
    })),
  ];
}

function isPlainJson(headers: Exchange['headers']): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase() === 'application/json' && headers['content-encoding'] === undefined;
}
