// The links of messages: each acts once on one alert, without a login, for whoever got the message.
import { alertLimits } from '#contract/alert-limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { keyedHash, randomHex, sameHash } from '#kernel/text/secret.ts';

export type MessageLinks = ReturnType<typeof createMessageLinks>;

/** The content of a valid token. */
export interface MessageLink {
  alertId: number;
  /** Name of the link in the history of the alert, where other actions name a person. */
  actor: string;
}

export interface MessageLinksOptions {
  /** Signs the tokens: 64 hex digits. */
  key: string;
  /** Where browsers reach the hub; undefined: there are no links. */
  publicUrl: URL | undefined;
}

/** A token is `alert.expiry.nonce.signature`. It stands behind `#`, so neither servers nor proxies log it. */
export function createMessageLinks({ key, publicUrl }: MessageLinksOptions) {
  const root = publicUrl && `${publicUrl.href.replace(/\/$/, '')}/`;
  return {
    /** Where people see the alert; undefined when the hub does not know its address. */
    toAlert: (id: number) => root && new URL(`alerts?alert=${id}`, root).href,
    /** Where people act on the alert without a login; undefined when the hub does not know its address. */
    toAction(id: number, now: number) {
      const signed = `${id}.${now + alertLimits.alertLinkMs}.${randomHex(16)}`;
      return root && new URL(`act#${signed}.${keyedHash(signed, key)}`, root).href;
    },
    /** Throws AppError `link_invalid` or `link_expired`. */
    open(token: string, now: number): MessageLink {
      const [, signed = '', id, expiresAt, nonce, signature] =
        /^((\d{1,15})\.(\d{1,15})\.([0-9a-f]{16}))\.([0-9a-f]{64})$/.exec(token) ?? [];
      if (signature === undefined || !sameHash(signature, keyedHash(signed, key))) {
        throw new AppError('link_invalid', 'this link is not one of this hub, or was cut: open the alert instead');
      }
      if (now >= Number(expiresAt)) {
        throw new AppError('link_expired', 'this link is older than seven days: open the alert instead');
      }
      return { alertId: Number(id), actor: `link ${nonce}` };
    },
  };
}

/** Throws AppError `link_used` when the history of the alert has an action by this link. */
export function requireUnused(writer: Pick<Writer, 'prepare'>, { alertId, actor }: MessageLink): void {
  if (writer.prepare('SELECT 1 FROM alert_event WHERE alert_id = ? AND actor = ?').get(alertId, actor)) {
    throw new AppError('link_used', 'this link was used: open the alert to change it again');
  }
}
