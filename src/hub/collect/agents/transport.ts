// Over what Agents may send: TLS, a loopback listener, or plain HTTP that the operator accepted
// (docs/reference/wire-contract/4-endpoints.md#transport).

import type { z } from 'zod';
import { type agentTransport, transportRisks } from '#contract/agents.ts';
import { AppError } from '#kernel/errors.ts';
import type { Guard } from '#kernel/http/bind-route.ts';
import type { RequestFacts } from '#kernel/http/request-facts.ts';
import { isLoopback, isLoopbackHost } from '#kernel/net/address.ts';
import type { Auth } from '../../base/auth/auth.ts';
import type { Principal } from '../../base/auth/principal.ts';
import type { Base } from '../../base/feature.ts';

export interface Transport {
  /** How the caller of this request reaches the hub, and what an Agent there would expose. */
  report(request: RequestFacts): z.output<typeof agentTransport>;
  accept(allowPlaintext: boolean): void;
  guard: Guard<Principal>;
}

export function createTransport(
  { settings, options }: Pick<Base, 'settings' | 'options'>,
  { audit, toActor }: Pick<Auth, 'audit' | 'toActor'>,
): Transport {
  const { host, publicUrl, trustProxy = [] } = options;
  const isListenerLocal = isLoopbackHost(host);
  const allowsPlaintext = () => settings.current().agents.allowPlaintext;

  /** A proxy that is not trusted makes every request look local. */
  const isLocal = ({ address, headers }: RequestFacts) =>
    isListenerLocal &&
    isLoopback(address) &&
    (trustProxy.length > 0 || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined));

  return {
    report(request) {
      const secure = request.isSecure || publicUrl?.protocol === 'https:';
      const consentRequired = !(secure || isLocal(request));
      return {
        transport: secure ? 'https' : 'http',
        secure,
        consentRequired,
        accepted: !consentRequired || allowsPlaintext(),
        risks: secure ? [] : [...transportRisks],
      };
    },
    accept(allowPlaintext) {
      settings.update((all) => ({ ...all, agents: { ...all.agents, allowPlaintext } }));
    },
    guard({ request, principal }) {
      if (request.isSecure || isLocal(request) || allowsPlaintext()) {
        return;
      }
      audit.note({ type: 'agent_transport_rejected', outcome: 'failure', request, by: toActor(principal) });
      throw new AppError(
        'agent_transport',
        'this connection is not encrypted: use https, or let an administrator accept plain HTTP for Agents ' +
          '(POST /api/agents/transport)',
      );
    },
  };
}
