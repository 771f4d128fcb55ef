// Sends events as HTTP requests in the form of a service, and judges the answer.

import { createHmac } from 'node:crypto';
import type { Agent } from 'undici';
import { type BoundedAnswer, boundedFetch } from '#kernel/http/bounded-fetch.ts';
import { findRetrySeconds } from '#kernel/http/retry-after.ts';
import { clipText } from '#kernel/text/clip.ts';
import { SendFailure } from '../../send-failure.ts';
import { visible } from '../../untrusted-text.ts';
import type { Sender, SenderDeps, SettingsOf } from '../sender.ts';
import { createTargetLookup, requireTarget, toConnectFailure } from '../target.ts';
import { type PresetRequest, presets } from './presets.ts';

/** The most time and bytes of an answer, and the most characters of it that are repeated. */
const most = { timeoutMs: 10_000, bytes: 65_536, words: 200 };

/** The sender follows no redirect. */
export function createWebhookSender(settings: SettingsOf<'webhook'>, { clock }: SenderDeps): Sender {
  const { allowPrivate, secret, preset } = settings;
  let agent: Agent | null = null;
  return {
    async send({ event, id, now, signal }) {
      const request = presets[preset].toRequest(event, { ...settings, id });
      const { hostname } = request.url;
      requireTarget(hostname, allowPrivate);
      const { Agent } = await import('undici');
      agent ??= new Agent({ connect: { lookup: createTargetLookup(allowPrivate) }, connections: 1 });
      const answer = await boundedFetch(clock, request.url, {
        method: 'POST',
        headers: { ...request.headers, ...(preset === 'json' ? sign(request.body, id, now, secret) : {}) },
        body: request.body,
        timeoutMs: most.timeoutMs,
        maxBytes: most.bytes,
        signal,
        dispatcher: agent,
        late: () =>
          new SendFailure('unreachable', 'timed_out', `${hostname} gave no answer within 10 s: try again later`),
        tooLong: () =>
          new SendFailure(
            'unreachable',
            'answer_too_long',
            `${hostname} answered with more than 64 kB: check the address`,
          ),
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw toConnectFailure(error, hostname, allowPrivate);
      });
      requireTaken(answer, request, secret);
    },
    async [Symbol.asyncDispose]() {
      await agent?.destroy();
    },
  };
}

/** The headers of Standard Webhooks: an HMAC-SHA-256 over id, seconds and body, base64 (https://www.standardwebhooks.com). */
function sign(body: string, id: string, now: number, secret: string): Record<string, string> {
  const seconds = String(Math.floor(now / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': seconds };
  if (secret === '') {
    return headers;
  }
  const signature = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}

/** Throws a SendFailure with the words of the other side, unless it took the event. */
function requireTaken({ status, headers, body }: BoundedAnswer, { url, refusal }: PresetRequest, secret: string): void {
  const text = body.toString('utf8');
  const refused = status < 300 ? refusal?.(text) : undefined;
  if (status < 300 && !refused) {
    return;
  }
  const repeated = secret === '' ? text : text.replaceAll(secret, '…');
  const words = clipText(visible(repeated).replace(/\s+/g, ' ').trim(), most.words);
  const said = `${url.hostname} answered ${status}${words === '' ? '' : `: ${words}`}`;
  const code = refused ? 'refused' : `http_${status}`;
  if (status === 429) {
    throw new SendFailure('limited', code, said, findWaitMs(headers['retry-after'], text));
  }
  if (status >= 500 || status === 408) {
    throw new SendFailure('unreachable', code, said);
  }
  const isAboutEvent = refused ? refused === 'event' : [400, 413, 422].includes(status);
  throw isAboutEvent
    ? new SendFailure('event', code, said)
    : new SendFailure('settings', code, `${said}; check the address and the token`);
}

/** Returns how long the header or the body asks to wait, from 1 s to an hour; 30 s when neither can be read. */
function findWaitMs(header: string | string[] | undefined, body: string): number {
  const [, inBody] = /"retry_after"\s*:\s*(\d{1,6})/.exec(body) ?? [];
  return 1000 * (findRetrySeconds(header) ?? findRetrySeconds(inBody) ?? 30);
}
