// A real SMTP server of another project, which keeps the mails that it takes.
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createSelfSigned } from '#simulators/support/certificates.ts';

/** Of another name, signed by nobody. */
const { key, cert } = await createSelfSigned(['stranger.example']);
const stranger = { key, cert };

/**
 * `refuse` names the command that it refuses, with the code of its reply; `port` is that of a server that was stopped, a free
 * one when absent.
 */
export async function startSmtpServer({
  refuse = {},
  port = 0,
  ...options
}: SMTPServerOptions & { refuse?: Partial<Record<'AUTH' | 'RCPT' | 'DATA', number>>; port?: number } = {}) {
  const mails: string[] = [];
  const refusal = (command: keyof typeof refuse) => {
    const code = refuse[command];
    return code === undefined ? null : Object.assign(new Error('not today'), { responseCode: code });
  };
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    ...stranger,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'hub' && password === 'right'
        ? done(refusal('AUTH'), { user: username })
        : done(Object.assign(new Error('Invalid login'), { responseCode: 535 })),
    onRcptTo: (_address, _session, done) => done(refusal('RCPT')),
    onData: (stream, _session, done) =>
      void text(stream).then((mail) => {
        const refused = refusal('DATA');
        if (!refused) {
          mails.push(mail);
        }
        done(refused);
      }),
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  return {
    mails,
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
