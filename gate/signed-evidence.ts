// Checks the signature of the evidence. Unsigned evidence is allowed, and marked in the report.
import { type Check, fail, pass } from './check.ts';
import type { EvidenceContext } from './evidence/context.ts';

export const signatureCheck: Check<EvidenceContext> = {
  id: 'evidence.signature',
  asks: 'the evidence is signed with the configured key, when one is configured',
  category: 'evidence',
  remedy: 'sign it again after every change: `gatehouse gate sign evidence FILE --key KEY`',
  judge({ signature }) {
    switch (signature.state) {
      case 'valid':
        return pass;
      case 'not-asked':
        return { outcome: 'not-required', because: 'MCP_GATE_EVIDENCE_KEY_PATH names no key' };
      case 'wrong':
        return fail(signature.because);
    }
  },
};
