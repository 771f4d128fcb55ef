// Every check of the gate, in order: evidence first, the burst late, the audit of it all last.
import type { Category, Check } from './check.ts';
import type { EvidenceContext } from './evidence/context.ts';
import { evidenceChecks } from './evidence/rules.ts';
import { alikeCheck } from './probes/alike.ts';
import { auditChecks } from './probes/audit.ts';
import { burstCheck } from './probes/burst.ts';
import type { ProbeContext } from './probes/context.ts';
import { issuerChecks } from './probes/issuer.ts';
import { localChecks } from './probes/local.ts';
import { protocolChecks } from './probes/protocol.ts';
import { proxyBodyChecks, proxyChecks } from './probes/proxy.ts';
import { reachChecks } from './probes/reach.ts';
import { tokenChecks } from './probes/tokens.ts';
import { signatureCheck } from './signed-evidence.ts';

export const evidenceRules: readonly Check<EvidenceContext>[] = [signatureCheck, ...evidenceChecks];

export const probes: readonly Check<ProbeContext>[] = [
  ...issuerChecks,
  ...reachChecks,
  ...proxyChecks,
  ...tokenChecks,
  ...protocolChecks,
  ...proxyBodyChecks,
  alikeCheck,
  ...localChecks,
  burstCheck,
  ...auditChecks,
];

export interface Described {
  id: string;
  asks: string;
  category: Category;
  needs: readonly string[];
  remedy: string;
}

/** What `gate explain` prints: the documentation of the gate is this list. */
export const described: readonly Described[] = [...evidenceRules, ...probes].map(
  ({ id, asks, category, needs = [], remedy }) => ({ id, asks, category, needs, remedy }),
);
