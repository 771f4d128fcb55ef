// Sends events by SMTP. The first event loads the library.
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import type { SentMessageInfo } from 'nodemailer';
import { clipText } from '#kernel/text/clip.ts';
import { withDeadline } from '#kernel/time/clock.ts';
import { SendFailure } from '../../send-failure.ts';
import { visible } from '../../untrusted-text.ts';
import type { Sender, SenderDeps, SettingsOf } from '../sender.ts';
import { createTargetLookup, requireTarget, toConnectFailure } from '../target.ts';
import { toMail } from './message.ts';

const timeoutMs = 30_000;

/** The sender opens a connection for each event, because servers end idle connections and events are rare. */
export function createEmailSender(settings: SettingsOf<'email'>, { clock, log }: SenderDeps): Sender {
  const { host, port, security, user, password, allowPrivate } = settings;
  const where = `${host}:${port}`;
  return {
    async send({ event, id, now, signal }) {
      requireTarget(host, allowPrivate);
      const { createTransport } = await import('nodemailer');
      const late = () => new SendFailure('unreachable', 'timed_out', `${where} did not take the message within 30 s`);
      await withDeadline(clock, timeoutMs, late, signal, async (stop) => {
        const address = await resolveHost(host, createTargetLookup(allowPrivate));
        const transport = createTransport({
          // The library connects to the address that was checked; the certificate must still name the host.
          host: address,
          port,
          secure: security === 'tls',
          requireTLS: security === 'starttls',
          ignoreTLS: security === 'none',
          ...(user === '' ? {} : { auth: { user, pass: password } }),
          tls: isIP(host) === 0 ? { servername: host } : {},
        });
        const end = () => transport.close();
        stop.addEventListener('abort', end, { once: true });
        try {
          const { rejected } = (await transport.sendMail(toMail(event, id, now, settings))) as SentMessageInfo & {
            rejected: readonly unknown[];
          };
          if (rejected.length > 0) {
            log.warn({ rejected: rejected.length }, 'the mail server took a message, but not for every recipient');
          }
        } finally {
          stop.removeEventListener('abort', end);
          end();
        }
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw toMailFailure(error, where, allowPrivate);
      });
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

function resolveHost(host: string, lookup: LookupFunction): Promise<string> {
  return new Promise((resolve, reject) => {
    lookup(host, {}, (error, address) => (error ? reject(error) : resolve(String(address))));
  });
}

interface MailError extends Error {
  code?: string;
  /** Code of the server's reply, such as 535. */
  responseCode?: number;
  response?: string;
}

/** Replies of 4yz refuse for now, replies of 5yz for good (RFC 5321, section 4.2.1). */
function toMailFailure(error: unknown, where: string, allowPrivate: boolean): SendFailure {
  const { code = '', responseCode = 0, response } = error as MailError;
  const words = response === undefined ? String((error as Error).message) : response;
  const said = `${where} answered: ${clipText(visible(words).replace(/\s+/g, ' ').trim(), 200)}`;
  if (responseCode >= 400 && responseCode < 500) {
    return new SendFailure('unreachable', `smtp_${responseCode}`, said);
  }
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return new SendFailure('settings', 'refused_login', `${said}; check the user name and the password`);
    case 'EENVELOPE':
      return new SendFailure('settings', 'refused_address', `${said}; check the sender and the recipients`);
    case 'ETLS':
    case 'EREQUIRETLS':
      return new SendFailure('settings', 'tls_failed', `${said}; choose the encryption that the server offers`);
    case 'EMESSAGE':
      return new SendFailure('event', 'refused_message', said);
    default:
      return toConnectFailure(error, where, allowPrivate);
  }
}
