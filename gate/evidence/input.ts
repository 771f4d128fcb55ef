// The evidence file as what the rules judge, with what its signature is worth.
import { readPrivateFile, readPublicFile } from '../private-file.ts';
import { signatureFault, signaturePathOf } from '../signature.ts';
import type { EvidenceContext } from './context.ts';

export interface EvidenceInput extends Omit<EvidenceContext, 'document' | 'signature'> {
  text: string;
  file: string;
  /** Public key in PEM that the evidence must be signed with. */
  publicKeyPath: string | undefined;
}

export function evidenceContext({ text, file, publicKeyPath, ...context }: EvidenceInput): EvidenceContext {
  return { ...context, document: parsedObject(text), signature: signatureOf(text, file, publicKeyPath) };
}

function signatureOf(text: string, file: string, publicKeyPath: string | undefined): EvidenceContext['signature'] {
  if (publicKeyPath === undefined) {
    return { state: 'not-asked' };
  }
  const envelope = parsedObject(readIfThere(signaturePathOf(file)));
  if (envelope === undefined) {
    return { state: 'wrong', because: 'there is no signature beside it' };
  }
  const because = signatureFault(readPublicFile(publicKeyPath, 'the public key'), 'evidence', text, envelope);
  return because === null ? { state: 'valid' } : { state: 'wrong', because };
}

function readIfThere(file: string): string {
  try {
    return readPrivateFile(file, 'the signature');
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
      return '';
    }
    throw error;
  }
}

/** The JSON object in `text`; `undefined` when it is none. */
export function parsedObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
