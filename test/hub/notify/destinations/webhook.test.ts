// Webhooks against the simulated services: each preset is taken as the service wants it, and each answer is understood.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToldEvent } from '#hub/base/told-event.ts';
import type { SettingsOf } from '#hub/notify/destinations/sender.ts';
import { createWebhookSender } from '#hub/notify/destinations/webhook/sender.ts';
import type { SendFailure } from '#hub/notify/send-failure.ts';
import { createLog } from '#kernel/process/log.ts';
import type { ServiceName } from '#simulators/push/forms.ts';
import { type PushServices, startPushServices } from '#simulators/push/push-services.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { verifies } from '../../../support/verifies.ts';

const token = 'b1946ac92492d2347c6235b4d2611184';
const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const paths: Readonly<Record<ServiceName, string>> = {
  ntfy: 'my-topic',
  gotify: '',
  discord: `api/webhooks/1234/${token}`,
  telegram: '',
  pushover: '1/messages.json',
  teams: `workflows/${token}`,
  home_assistant: `api/webhook/${token}`,
};
const services = Object.keys(paths) as ServiceName[];

const event: ToldEvent = {
  key: 'threat|192.168.100.23|203.0.113.80|1',
  kind: 'threat',
  state: 'raised',
  level: 'danger',
  at: Date.UTC(2026, 2, 1, 3),
  title: 'Known-bad destination',
  facts: [
    { name: 'device', label: 'Device', value: 'nas 192.168.100.23' },
    { name: 'destination', label: 'Destination', value: 'evil.example 203.0.113.80' },
  ],
  link: 'https://gatehouse.example.net/alerts?alert=1',
  actionLink: 'https://gatehouse.example.net/act#1.2.3.4',
};

const createSender = (
  settings: Partial<SettingsOf<'webhook'>> & Pick<SettingsOf<'webhook'>, 'url'>,
  clock = new ManualClock(),
) =>
  createWebhookSender(
    { kind: 'webhook', preset: 'json', secret: '', to: '', allowPrivate: true, ...settings },
    { clock, log: createLog('test', 'silent'), version: '0.0.0' },
  );

function createServiceSender(push: PushServices, service: ServiceName) {
  const url = new URL(paths[service], push.addressOf(service)).href;
  return createSender({ preset: service, url, secret: token, to: '4711' });
}

const send = (sender: ReturnType<typeof createSender>, one: ToldEvent = event) =>
  sender.send({ event: one, id, now: Date.UTC(2026, 2, 1, 4), signal: new AbortController().signal });

/** The failure of a try that must fail. */
const failureOf = (work: Promise<void>) =>
  work.then(
    () => expect.fail('it was sent'),
    (error: SendFailure) => ({ kind: error.kind, code: error.code, message: error.message, wait: error.retryAfterMs }),
  );

/** Text that a device can put into a name: markup, mentions, links, controls, and much of it. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc.stringMatching(/^[@`*_~<>[\]()|\\{}"'\n\r\0 -]{0,400}$/),
  fc.constantFrom('@everyone', '<!channel>', '[here](https://evil.example)', 'https://evil.example/', '`'.repeat(999)),
);
const hostileEvent: fc.Arbitrary<ToldEvent> = fc
  .record({
    kind: fc.constantFrom('threat', 'beacon', 'newDevice', 'router', 'hub', 'ai'),
    state: fc.constantFrom('raised', 'resolved'),
    level: fc.constantFrom('danger', 'warning', 'info'),
    values: fc.array(hostile, { maxLength: 14 }),
    body: fc.option(hostile, { nil: undefined }),
    hasLinks: fc.boolean(),
  })
  .map(({ values, body, hasLinks, ...rest }) => ({
    ...event,
    ...rest,
    facts: values.map((value) => ({ name: 'device', label: 'Device', value })),
    ...(body === undefined ? {} : { body }),
    ...(hasLinks ? {} : { link: undefined, actionLink: undefined }),
  })) as fc.Arbitrary<ToldEvent>;

verifies(
  'rest.destinations.presets',
  'each service takes every event in its own form, whatever the values say',
  async () => {
    await using push = await startPushServices({ token });
    for (const service of services) {
      await using sender = createServiceSender(push, service);
      await send(sender);
      await fc.assert(
        fc.asyncProperty(hostileEvent, async (one) => {
          await send(sender, one);
          const { body } = push.messages.at(-1) ?? expect.fail();
          const text = JSON.stringify(body);
          // Home Assistant is given the event as it is: programs read it, not people.
          if (service !== 'home_assistant') {
            expect(text).not.toMatch(/@everyone|\]\(https?:\/\/evil|https?:\/\/evil/);
          }
        }),
        { numRuns: 25 },
      );
      expect(push.messages.every((one) => one.service === service)).toBe(true);
      push.reset();
      await using stranger = createSender({
        preset: service,
        url: new URL(paths[service].replace(token, 'wrong'), push.addressOf(service)).href,
        secret: 'wrong',
        to: '4711',
      });
      expect(await failureOf(send(stranger))).toMatchObject({ kind: 'settings', code: 'http_401' });
      expect(push.messages).toEqual([]);
    }
  },
);

verifies(
  'rest.destinations.signed',
  'the JSON of a webhook is signed over its id, its second and its body',
  async () => {
    await using push = await startPushServices();
    const url = new URL(paths.home_assistant, push.addressOf('home_assistant')).href;
    await using sender = createSender({ url, secret: 'key' });
    await send(sender);
    const { headers, body } = push.messages[0] ?? expect.fail();
    const seconds = String(Date.UTC(2026, 2, 1, 4) / 1000);
    const signed = `${id}.${seconds}.${JSON.stringify(body)}`;
    expect(headers).toMatchObject({
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${createHmac('sha256', 'key').update(signed).digest('base64')}`,
    });
    expect(body).toEqual({
      ...{ version: 1, id, key: event.key, kind: 'threat', state: 'raised', level: 'danger' },
      ...{ title: event.title, facts: event.facts, at: '2026-03-01T03:00:00.000Z', body: null },
      ...{ link: event.link, actionLink: event.actionLink },
    });
  },
);

test('each answer says when to try again, in the words of the other side', async () => {
  await using push = await startPushServices();
  await using sender = createServiceSender(push, 'gotify');
  const expected = {
    'server-error': {
      kind: 'unreachable',
      code: 'http_500',
      message: '127.0.0.1 answered 500: the service is being repaired',
    },
    'too-many': { kind: 'limited', code: 'http_429', wait: 60_000 },
    'refused-token': { kind: 'settings', code: 'http_401' },
    'refused-message': { kind: 'event', code: 'http_400' },
    redirect: { kind: 'settings', code: 'http_307' },
    oversized: { kind: 'unreachable', code: 'answer_too_long' },
    'taken-unheard': { kind: 'unreachable', code: 'unreachable' },
  } as const;
  for (const [fault, failure] of Object.entries(expected)) {
    push.fail(fault as keyof typeof expected, { times: 1 });
    expect(await failureOf(send(sender)), fault).toMatchObject(failure);
    await send(sender);
  }
});

verifies('rest.destinations.private', 'a private or loopback target is refused unless it is allowed', async () => {
  await using push = await startPushServices();
  const port = push.url.port;
  for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '192.168.1.1', '[::1]', '169.254.169.254', '[fd00::1]']) {
    await using sender = createSender({ url: `http://${host}:${port}/`, allowPrivate: false });
    expect(await failureOf(send(sender)), host).toMatchObject({ kind: 'settings', code: 'private_target' });
  }
  await using sender = createSender({ url: 'http://169.254.169.254/', allowPrivate: true });
  expect(await failureOf(send(sender))).toMatchObject({ kind: 'settings', code: 'private_target' });
  expect(await push.journal()).toEqual([]);
});
