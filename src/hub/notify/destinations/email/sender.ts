// Sends events by SMTP. The library is loaded with the first one.
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import type { SentMessageInfo } from 'nodemailer';
import { withDeadline } from '#kernel/time/clock.ts';
import { shorten, visible } from '../../untrusted-text.ts';
import { type Sender, type SenderDeps, SendFailure } from '../sender.ts';
import { createTargetLookup, requireTarget, toConnectFailure } from '../target.ts';
import { toMail } from './message.ts';
import type { EmailSettings } from './settings.ts';

const timeoutMs = 30_000;

/** A connection for each event: servers end idle ones, and events are rare. */
export function createEmailSender(settings: EmailSettings, { clock, log }: SenderDeps): Sender {
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
          // The address that was checked; the certificate must still name the host.
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
  /** Of the reply of the server. */
  responseCode?: number;
  response?: string;
}

/** Replies of 4yz are for now, replies of 5yz for good (RFC 5321 section 4.2.1). */
function toMailFailure(error: unknown, where: string, allowPrivate: boolean): SendFailure {
  const { code = '', responseCode = 0, response } = error as MailError;
  const words = response === undefined ? String((error as Error).message) : response;
  const said = `${where} answered: ${shorten(visible(words).replace(/\s+/g, ' ').trim(), 200)}`;
  if (responseCode >= 400 && responseCode < 500) {
    return new SendFailure('unreachable', `smtp_${responseCode}`, said);
  }
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return new SendFailure('settings', 'login_refused', `${said}; check the user name and the password`);
    case 'EENVELOPE':
      return new SendFailure('settings', 'address_refused', `${said}; check the sender and the recipients`);
    case 'ETLS':
    case 'EREQUIRETLS':
      return new SendFailure('settings', 'tls_refused', `${said}; choose the encryption that the server offers`);
    case 'EMESSAGE':
      return new SendFailure('event', 'message_refused', said);
    default:
      return isCertificateFault(error)
        ? new SendFailure('settings', 'certificate_refused', `the certificate of ${where} is not trusted: ${words}`)
        : toConnectFailure(error, where, allowPrivate);
  }
}

function isCertificateFault(error: unknown): boolean {
  return /certificate|self.signed|altnames/i.test(String((error as Error).message));
}
