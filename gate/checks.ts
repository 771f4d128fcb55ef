// All checks in the order they run: evidence, probes, the burst, and the audit last.
import type { Category, Check } from './check.ts';
import type { EvidenceContext } from './evidence/context.ts';
import { evidenceChecks } from './evidence/rules.ts';
import finds from './finds.json' with { type: 'json' };
import { addressParityCheck } from './probes/address-parity.ts';
import { auditChecks } from './probes/audit.ts';
import { burstCheck } from './probes/burst.ts';
import type { ProbeContext } from './probes/context.ts';
import { givenTokenChecks } from './probes/given-tokens.ts';
import { issuerChecks } from './probes/issuer.ts';
import { limitChecks } from './probes/limits.ts';
import { localChecks } from './probes/local.ts';
import { protocolChecks } from './probes/protocol.ts';
import { proxyBodyChecks, proxyChecks } from './probes/proxy.ts';
import { pseudonymCheck } from './probes/pseudonyms.ts';
import { reachChecks } from './probes/reach.ts';
import { releaseChecks } from './probes/release.ts';
import { sameHubChecks } from './probes/same-hub.ts';
import { tokenChecks } from './probes/tokens.ts';
import { signatureCheck } from './signed-evidence.ts';

export const evidenceRules: readonly Check<EvidenceContext>[] = [signatureCheck, ...evidenceChecks];

export const probes: readonly Check<ProbeContext>[] = [
  ...issuerChecks,
  ...givenTokenChecks,
  ...reachChecks,
  ...proxyChecks,
  ...tokenChecks,
  ...protocolChecks,
  ...proxyBodyChecks,
  addressParityCheck,
  ...localChecks,
  ...releaseChecks,
  ...sameHubChecks,
  burstCheck,
  ...auditChecks,
  ...limitChecks,
  pseudonymCheck,
];

export interface CheckDescription {
  id: string;
  asks: string;
  category: Category;
  needs: readonly string[];
  remedy: string;
  /** Mistakes that it is tested against, `MAKER: sentence`; the first is the one that the remedy corrects. */
  finds: readonly string[];
}

export const checkDescriptions: readonly CheckDescription[] = [...evidenceRules, ...probes].map(
  ({ id, asks, category, needs = [], remedy }) => ({
    id,
    asks,
    category,
    needs,
    remedy,
    finds: (finds as Readonly<Record<string, string[]>>)[id] ?? [],
  }),
);
