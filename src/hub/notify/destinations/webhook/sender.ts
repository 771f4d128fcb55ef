// Posts the event as JSON. A stand-in until the whole webhook sender takes its place.
import type { DestinationSettings } from '#contract/destinations.ts';
import { messageOf } from '#kernel/errors.ts';
import { boundedFetch } from '#kernel/http/bounded-fetch.ts';
import { type Sender, type SenderDeps, SendFailure } from '../sender.ts';

type WebhookSettings = Extract<DestinationSettings, { kind: 'webhook' }>;

export function createWebhookSender({ url }: WebhookSettings, { clock }: SenderDeps): Sender {
  return {
    async send({ event, id, signal }) {
      const answer = await boundedFetch(clock, url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': id },
        body: JSON.stringify(event),
        timeoutMs: 10_000,
        maxBytes: 65_536,
        signal,
        late: () => new SendFailure('unreachable', 'timed_out', 'there was no answer within 10 s'),
        tooLong: () => new SendFailure('unreachable', 'answer_too_long', 'the answer is larger than 64 KB'),
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error instanceof SendFailure ? error : new SendFailure('unreachable', 'unreachable', messageOf(error));
      });
      if (answer.status >= 300) {
        const words = answer.body.toString('utf8').slice(0, 200);
        const kind = answer.status === 400 ? 'event' : answer.status < 500 ? 'settings' : 'unreachable';
        throw new SendFailure(kind, `http_${answer.status}`, `the answer was ${answer.status}: ${words}`);
      }
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
