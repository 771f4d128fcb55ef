// The evidence file as what the rules judge, with what its signature is worth.
import { objectOf, parseJson } from '../json.ts';
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
  return { ...context, document: objectOf(parseJson(text)), signature: signatureOf(text, file, publicKeyPath) };
}

function signatureOf(text: string, file: string, publicKeyPath: string | undefined): EvidenceContext['signature'] {
  if (publicKeyPath === undefined) {
    return { state: 'not-asked' };
  }
  const envelope = objectOf(parseJson(readIfThere(signaturePathOf(file))));
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
