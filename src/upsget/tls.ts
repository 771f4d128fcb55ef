// TLS connections to the UPS. The certificate is self-signed and not verified; it can be pinned.
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext, connect as tlsConnect } from 'node:tls';

export interface TlsOptions {
  /** Allows TLS 1.0 and 1.1, and short keys, for older versions of the product. */
  legacy: boolean;
  /** Gets the SHA-256 fingerprint (upper-case hex pairs joined by colons) before anything is sent; throws to refuse. */
  judge: ((fingerprint: string) => void) | null;
}

type Done = (error: Error | null, socket: Socket) => void;

/** `createConnection` for `https.request`: yields a connection once its certificate is accepted. */
export function createTlsConnector(host: string, port: number, { legacy, judge }: TlsOptions) {
  let context: SecureContext | null = null;
  return (signal: AbortSignal) =>
    (_options: unknown, done: Done): undefined => {
      context ??= createSecureContext({
        // Nothing is verified against CAs, and loading the default ones takes longer than a request.
        ca: [],
        ...(legacy ? { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } : {}),
      });
      const socket = tlsConnect({
        secureContext: context,
        host,
        port,
        servername: isIP(host) ? '' : host,
        // The certificate of the product is self-signed (docs/reference/ups-reader.md#5-authentication).
        rejectUnauthorized: false,
      });
      const giveUp = () => socket.destroy(signal.reason);
      const fail = (error: Error) => {
        signal.removeEventListener('abort', giveUp);
        done(error, socket);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      socket.once('error', fail);
      socket.once('secureConnect', () => {
        socket.off('error', fail);
        signal.removeEventListener('abort', giveUp);
        try {
          judge?.(socket.getPeerCertificate().fingerprint256);
          done(null, socket);
        } catch (error) {
          socket.destroy();
          done(error as Error, socket);
        }
      });
    };
}
