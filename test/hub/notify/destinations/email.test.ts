// E-mail against a real SMTP server of another project: encryption, login, refusals, and names that try to write headers.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToldEvent } from '#hub/base/told-event.ts';
import { createEmailSender } from '#hub/notify/destinations/email/sender.ts';
import type { SettingsOf } from '#hub/notify/destinations/sender.ts';
import type { SendFailure } from '#hub/notify/send-failure.ts';
import { createLog } from '#kernel/process/log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startSmtpServer } from '../../../support/smtp-server.ts';
import { verifies } from '../../../support/verifies.ts';

const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const event: ToldEvent = {
  key: 'threat|1',
  kind: 'threat',
  state: 'raised',
  level: 'danger',
  at: Date.UTC(2026, 2, 1, 3),
  title: 'Known-bad destination',
  facts: [{ name: 'device', label: 'Device', value: 'nas & co <nas> 192.168.100.23' }],
  link: 'https://gatehouse.example.net/alerts?alert=1',
  actionLink: 'https://gatehouse.example.net/act#1.2.3.4',
};

const createSender = (settings: Partial<SettingsOf<'email'>> & { port: number }) =>
  createEmailSender(
    {
      ...{ kind: 'email', host: '127.0.0.1', security: 'none', user: '', password: '', allowPrivate: true },
      ...{ from: 'hub@example.net', to: ['olga@example.net', 'ivan@example.net'], ...settings },
    },
    { clock: new ManualClock(), log: createLog('test', 'silent'), version: '0.0.0' },
  );

const send = (sender: ReturnType<typeof createSender>, one: ToldEvent = event) =>
  sender.send({ event: one, id, now: Date.UTC(2026, 2, 1, 4), signal: new AbortController().signal });

const failureOf = (work: Promise<void>) =>
  work.then(
    () => expect.fail('it was sent'),
    ({ kind, code, message }: SendFailure) => ({ kind, code, message }),
  );

/** Headers of a mail by name, unfolded. */
function readHeaders(mail: string): Map<string, string> {
  const [head = ''] = mail.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  expect(lines.every((line) => /^[\w-]+: /.test(line))).toBe(true);
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
}

verifies(
  'rest.destinations.email',
  'an event is a mail that is known again when it is sent twice, and no name writes a header',
  async () => {
    await using smtp = await startSmtpServer();
    await using sender = createSender({ port: smtp.port });
    await send(sender);
    const headers = readHeaders(smtp.mails[0] ?? '');
    expect(Object.fromEntries(headers)).toMatchObject({
      from: 'hub@example.net',
      to: 'olga@example.net, ivan@example.net',
      subject: '[Gatehouse] Known-bad destination: nas & co <nas> 192.168.100.23',
      'message-id': `<${id}@gatehouse.invalid>`,
      date: 'Sun, 01 Mar 2026 04:00:00 +0000',
      'auto-submitted': 'auto-generated',
    });
    expect(smtp.mails[0]).toContain('nas &#38; co &#60;nas&#62;');
    expect(smtp.mails[0]).not.toContain('<nas> 192.168.100.23<');
    const names = new Set([...headers.keys()]);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 500 }), fc.constant('x\r\nBcc: evil@example.net\r\n\r\nhello')),
        async (value) => {
          await send(sender, { ...event, facts: [{ name: 'device', label: 'Device', value }] });
          const mail = smtp.mails.at(-1) ?? '';
          expect(new Set(readHeaders(mail).keys())).toEqual(names);
          expect(mail).not.toMatch(/^bcc:/im);
        },
      ),
      { numRuns: 25 },
    );
  },
);

test('each refusal says who must do something', async () => {
  const login = { user: 'hub', password: 'right' };
  const cases = [
    [{}, { user: 'hub', password: 'wrong' }, { kind: 'settings', code: 'refused_login' }],
    [{ refuse: { AUTH: 454 } }, login, { kind: 'unreachable', code: 'smtp_454' }],
    [{ refuse: { RCPT: 550 } }, {}, { kind: 'settings', code: 'refused_address' }],
    [{ refuse: { RCPT: 450 } }, {}, { kind: 'unreachable', code: 'smtp_450' }],
    [{ refuse: { DATA: 554 } }, {}, { kind: 'event', code: 'refused_message' }],
    [{ refuse: { DATA: 451 } }, {}, { kind: 'unreachable', code: 'smtp_451' }],
    [{}, { security: 'starttls' }, { kind: 'settings', code: 'tls_failed' }],
    // Its certificate is that of another name, signed by nobody.
    [{ disabledCommands: [] }, { security: 'starttls' }, { kind: 'settings', code: 'tls_failed' }],
    [{ secure: true }, { security: 'tls' }, { kind: 'settings', code: 'tls_failed' }],
    [{}, { allowPrivate: false }, { kind: 'settings', code: 'private_target' }],
    [{}, { host: 'localhost', allowPrivate: false }, { kind: 'settings', code: 'private_target' }],
  ] as const;
  for (const [server, settings, failure] of cases) {
    await using smtp = await startSmtpServer(server as object);
    await using sender = createSender({ port: smtp.port, ...settings });
    expect(await failureOf(send(sender)), JSON.stringify([server, settings])).toMatchObject(failure);
    expect(smtp.mails).toEqual([]);
  }
  await using smtp = await startSmtpServer();
  await using right = createSender({ port: smtp.port, ...login });
  await send(right);
  expect(smtp.mails).toHaveLength(1);
  await using nowhere = createSender({ port: 1 });
  expect(await failureOf(send(nowhere))).toMatchObject({ kind: 'unreachable', code: 'unreachable' });
});
