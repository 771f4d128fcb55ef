// Ed25519 signatures over files: a DSSE envelope around an in-toto statement that names the file's digest.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from '#kernel/text/digest.ts';
import { parseJson } from '#kernel/text/json.ts';
import { toMembers } from './json.ts';
import { GateError } from './private-file.ts';

const payloadType = 'application/vnd.in-toto+json';
const statementType = 'https://in-toto.io/Statement/v1';

export const predicateTypes = {
  evidence: 'https://gatehouse.example/attestation/publication-evidence/v3',
  report: 'https://gatehouse.example/attestation/publication-report/v3',
  release: 'https://gatehouse.example/attestation/release/v1',
} as const;

export interface Envelope {
  payloadType: string;
  /** Base64 of the statement. */
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

export function toSignaturePath(file: string): string {
  return `${file}.dsse.json`;
}

/** Generates a key pair in PEM: PKCS #8 and SPKI. */
export function createKeyPair(): { privatePem: string; publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** Signs the content of the file `name` as `kind`; `facts` is the predicate and must hold no secrets. */
export function signFile(
  privatePem: string,
  kind: keyof typeof predicateTypes,
  name: string,
  content: string | Uint8Array,
  facts: Readonly<Record<string, unknown>>,
): Envelope {
  const key = ed25519(() => createPrivateKey(privatePem), 'the signing key');
  const statement = {
    _type: statementType,
    subject: [{ name, digest: { sha256: sha256(content) } }],
    predicateType: predicateTypes[kind],
    predicate: facts,
  };
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = sign(null, preAuthentication(payload), key).toString('base64');
  return {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: hashPublicKey(createPublicKey(key)), sig }],
  };
}

/** Verifies `envelope` over the file's content as `kind`. Returns the reason when it does not verify, otherwise `null`. */
export function signatureFault(
  publicPem: string,
  kind: keyof typeof predicateTypes,
  content: string | Uint8Array,
  envelope: unknown,
): string | null {
  const key = ed25519(() => createPublicKey(publicPem), 'the public key');
  const { payloadType: type, payload, signatures } = toMembers(envelope);
  if (type !== payloadType || typeof payload !== 'string' || !Array.isArray(signatures)) {
    return 'the signature is no DSSE envelope of an in-toto statement';
  }
  const bytes = Buffer.from(payload, 'base64');
  const isSigned = signatures.some((signature) => {
    const { sig } = toMembers(signature);
    return typeof sig === 'string' && verify(null, preAuthentication(bytes), key, Buffer.from(sig, 'base64'));
  });
  if (!isSigned) {
    return 'no signature of it is by this key';
  }
  return statementFault(bytes, kind, content);
}

/** The predicate of the signed statement. Trust it only after the envelope was verified. */
export function readFacts(envelope: unknown): Readonly<Record<string, unknown>> {
  const { payload } = toMembers(envelope);
  return typeof payload === 'string'
    ? toMembers(toMembers(parseJson(Buffer.from(payload, 'base64').toString('utf8'))).predicate)
    : {};
}

/** Key id: the SHA-256 of the public key in SPKI form, in hexadecimal digits. */
export function toKeyId(publicPem: string): string {
  return hashPublicKey(ed25519(() => createPublicKey(publicPem), 'the public key'));
}

function statementFault(bytes: Buffer, kind: keyof typeof predicateTypes, content: string | Uint8Array): string | null {
  const { _type, predicateType, subject } = toMembers(parseJson(bytes.toString('utf8')));
  if (_type !== statementType || predicateType !== predicateTypes[kind]) {
    return `what is signed is no ${kind}`;
  }
  const [only, ...more] = Array.isArray(subject) ? subject : [];
  return more.length === 0 && toMembers(toMembers(only).digest).sha256 === sha256(content)
    ? null
    : 'what is signed is another file, or the file was changed since';
}

/** DSSE v1 pre-authentication encoding. */
function preAuthentication(payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** SHA-256 of the public key's SPKI form. */
function hashPublicKey(key: KeyObject): string {
  return sha256(key.export({ type: 'spki', format: 'der' }));
}

function ed25519(read: () => KeyObject, what: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read();
  } catch (cause) {
    throw new GateError(`${what} is not a key in PEM form: make one with \`gatehouse gate keygen\``, { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new GateError(`${what} is not an Ed25519 key: make one with \`gatehouse gate keygen\``);
  }
  return key;
}
