// Reads the evidence file and verifies its signature.

import { parseJson } from '#kernel/text/json.ts';
import { type GateConfig, ingressPorts } from '../config.ts';
import { toObject } from '../json.ts';
import { readPrivateFile, readPublicFile } from '../private-file.ts';
import { signatureFault, toKeyId, toSignaturePath } from '../signature.ts';
import type { EvidenceContext } from './context.ts';
import { readRuns } from './transcripts.ts';

export function getEvidenceSettings(config: GateConfig) {
  return {
    commit: config.MCP_GATE_DEPLOYED_COMMIT,
    profile: config.MCP_GATE_OAUTH_COMPATIBILITY_PROFILE,
    endpoint: config.MCP_GATE_ENDPOINT.text,
    issuer: config.MCP_GATE_ISSUER,
    resource: config.MCP_GATE_RESOURCE,
    policy: config.MCP_GATE_EVIDENCE_POLICY,
    ingressPorts: ingressPorts(config),
  };
}

export interface EvidenceInput extends Omit<EvidenceContext, 'document' | 'signature' | 'runs'> {
  text: string;
  file: string;
  /** File of the public key (PEM) that verifies the evidence. */
  publicKeyPath: string | undefined;
}

export function createEvidenceContext({ text, file, publicKeyPath, ...context }: EvidenceInput): EvidenceContext {
  return {
    ...context,
    document: toObject(parseJson(text)),
    runs: readRuns(file),
    signature: verifySignature(text, file, publicKeyPath),
  };
}

function verifySignature(text: string, file: string, publicKeyPath: string | undefined): EvidenceContext['signature'] {
  if (publicKeyPath === undefined) {
    return { state: 'not-asked' };
  }
  const envelope = toObject(parseJson(readIfThere(toSignaturePath(file))));
  if (envelope === undefined) {
    return { state: 'wrong', because: 'there is no signature next to it' };
  }
  const key = readPublicFile(publicKeyPath, 'the public key');
  const because = signatureFault(key, 'evidence', text, envelope);
  return because === null ? { state: 'valid', keyId: toKeyId(key) } : { state: 'wrong', because };
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
