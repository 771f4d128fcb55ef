// Validates the certificate of one address in a TLS handshake.
import { connect } from 'node:tls';
import { limits } from '#contract/limits.ts';
import { toErrorKind } from '../check.ts';
import { type Address, trustedCa } from '../target.ts';

export interface Handshake {
  address: Address;
  /** Its host name is what the certificate must be for. */
  url: URL;
  /** PEM of a CA trusted in addition to the public ones. */
  ca: string | undefined;
  now(): number;
  timeoutMs: number;
}

const unknownIssuer = 'no CA that is trusted here has issued it, or its chain lacks a certificate between';

/** OpenSSL and Node name what is wrong by these codes. */
const faults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
};

/** Resolves to what is wrong with the certificate, in a sentence, or to null. */
export function certificateFault({ address, url, ca, now, timeoutMs }: Handshake): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({
      host: address.address,
      port: Number(url.port || 443),
      servername: url.hostname,
      timeout: timeoutMs,
      ...trustedCa(ca),
    });
    const end = (fault: string | null) => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('secureConnect', () => {
      const leftMs = (socket.getPeerX509Certificate()?.validToDate.getTime() ?? Number.NaN) - now();
      end(leftMs >= limits.gateCertificateMs ? null : 'it expires within 24 hours');
    });
    socket.once('timeout', () => end('no handshake comes about in time'));
    socket.once('error', (error) => {
      const kind = toErrorKind(error);
      end(faults[kind] ?? `no handshake comes about (${kind})`);
    });
  });
}
