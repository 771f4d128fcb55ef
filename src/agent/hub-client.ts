// The routes of Agents at a hub, with a deadline for each request, and what a failure means in words.
import { Agent as Dispatcher } from 'undici';
import { agentRoutes } from '#contract/agents.ts';
import { messageOf } from '#kernel/errors.ts';
import { AnswerError, type Client, ClientError, createClient } from '#kernel/http/client.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';
import { agentProgramLimits as limits } from './limits.ts';

export type AgentClient = Client<{ agents: typeof agentRoutes }>['agents'];

export type HubClient = ReturnType<typeof openHub>;

export function openHub(clock: Clock, hubUrl: URL, ca: string | null) {
  const dispatcher = new Dispatcher({ connect: ca === null ? {} : { ca }, connections: 2 });
  const late = () => new Error(`the hub did not answer within ${limits.requestMs / 1000} s`);
  return {
    /** Requests with this bearer; null: without one. They end when `outer` is aborted. */
    as: (bearer: string | null, outer?: AbortSignal): AgentClient =>
      createClient(
        { agents: agentRoutes },
        {
          baseUrl: hubUrl,
          headers: {
            'user-agent': `gatehouse-agent/${packageVersion()}`,
            ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          },
          timeoutMs: limits.requestMs,
          maxBytes: limits.answerBytes,
          dispatcher,
          around: (_, send) => withDeadline(clock, limits.requestMs, late, outer, send),
        },
      ).agents,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

/** Codes of Node.js for certificates that cannot be verified. */
const untrusted = /^(?:SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS_CERT)/;

/** What went wrong in one sentence, for people; nothing of a request is quoted. */
export function hubFailure(error: unknown): string {
  if (error instanceof ClientError) {
    const said = visibleText(error.message, 300, ' ');
    return error.code === 'agent_transport' ? `the hub refuses this connection: ${said}` : `${said} (${error.status})`;
  }
  if (error instanceof AnswerError) {
    return error.message;
  }
  const code = findErrorCode(error);
  const said = visibleText(messageOf(error) || code || 'no answer', 300, ' ');
  return untrusted.test(code)
    ? `the certificate of the hub cannot be verified (${said}): name its authority with --ca FILE when you enrol`
    : `the hub cannot be reached: ${said}`;
}

function findErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** What a request for the capabilities means when it fails: a hub without the route is too old. */
export function capabilitiesFailure(error: unknown): string {
  return error instanceof ClientError && error.status === 404
    ? 'this hub is too old: it does not know Agents of this version; update the hub'
    : hubFailure(error);
}

/** The wait that an answer asks for, in milliseconds; null without one. Dates are ignored, because clocks differ. */
export function retryAfterMs({ headers }: ClientError): number | null {
  const value = headers['retry-after'];
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : null;
}
