// Certificates of simulated servers: a test CA, what it issues for given names, and self-signed ones. RSA only.
import { generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import forge from 'node-forge';
import { systemClock, toDate } from '#kernel/time/clock.ts';

/** PEM texts of a key pair, ready for `tls.createServer`. */
export interface Certificate {
  key: string;
  cert: string;
  /** SHA-256 of the certificate, upper-case hex pairs joined by colons, as `getPeerCertificate()` has it. */
  fingerprint256: string;
}

export interface CertificateOptions {
  /** 2048 when absent. */
  bits?: number;
  /** `sha256` when absent. */
  digest?: 'sha1' | 'sha256' | 'sha512';
  /** Milliseconds from now by the wall clock, which TLS goes by; a day ago to a year ahead when absent. */
  validFromMs?: number;
  validToMs?: number;
}

export interface Authority {
  readonly cert: string;
  /** A server certificate for these host names and addresses; the first is its subject. */
  issue(names: readonly string[], options?: CertificateOptions): Promise<Certificate>;
}

const dayMs = 86_400_000;
const generate = promisify(generateKeyPair);

/** A CA that nobody trusts unless told: it lives in this process only. */
export async function createAuthority(
  name = 'Gatehouse test CA',
  options: CertificateOptions = {},
): Promise<Authority> {
  const subject = toSubject(name);
  const extensions = [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ];
  const own = await make({ subject, extensions, issuer: null, options });
  return {
    cert: own.cert,
    issue: (names, issueOptions = {}) =>
      make({
        subject: toSubject(names[0] ?? 'localhost'),
        extensions: forServer(names),
        issuer: { subject, key: own.key },
        options: issueOptions,
      }),
  };
}

/** A server certificate signed by its own key, as embedded products have it. */
export function createSelfSigned(names: readonly string[], options: CertificateOptions = {}): Promise<Certificate> {
  return make({ subject: toSubject(names[0] ?? 'localhost'), extensions: forServer(names), issuer: null, options });
}

interface Wanted {
  subject: forge.pki.CertificateField[];
  extensions: object[];
  /** null: signed by its own key. */
  issuer: { subject: forge.pki.CertificateField[]; key: string } | null;
  options: CertificateOptions;
}

async function make({ subject, extensions, issuer, options }: Wanted): Promise<Certificate> {
  const { bits = 2048, digest = 'sha256', validFromMs = -dayMs, validToMs = 365 * dayMs } = options;
  const { publicKey, privateKey: key } = await generate('rsa', {
    modulusLength: bits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // It must be positive (RFC 5280 section 4.1.2.2), and DER pads no number whose first byte says so.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  const now = systemClock.now();
  certificate.validity = { notBefore: toDate(now + validFromMs), notAfter: toDate(now + validToMs) };
  certificate.setSubject(subject);
  certificate.setIssuer(issuer?.subject ?? subject);
  certificate.setExtensions(extensions);
  certificate.sign(forge.pki.privateKeyFromPem(issuer?.key ?? key), forge.md[digest].create());
  const cert = forge.pki.certificateToPem(certificate);
  return { key, cert, fingerprint256: new X509Certificate(cert).fingerprint256 };
}

function toSubject(commonName: string): forge.pki.CertificateField[] {
  return [{ name: 'commonName', value: commonName }];
}

function forServer(names: readonly string[]): object[] {
  return [
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
    },
  ];
}
