// The list of collectors.
import { clientRuns } from './client-runs.ts';
import type { Collector } from './collector.ts';
import { credentialRotation } from './credential-rotation.ts';
import { directIngress } from './direct-ingress.ts';
import { idpCompatibility } from './idp-compatibility.ts';
import { jwksOutage } from './jwks-outage.ts';
import { refreshReplay } from './refresh-replay.ts';
import { reverseProxyLimits } from './reverse-proxy-limits.ts';
import { revocation, tokenLifetime } from './revocation.ts';

export const collectors: readonly Collector[] = [
  refreshReplay,
  revocation,
  tokenLifetime,
  clientRuns,
  idpCompatibility,
  jwksOutage,
  credentialRotation,
  reverseProxyLimits,
  directIngress,
];
