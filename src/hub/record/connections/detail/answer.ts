// The answer about one connection: what the log has, joined with what feeds and local data say now.
import type { ConnectionDetail, ThreatEvidence } from '#contract/connection-detail.ts';
import type { Connection } from '#contract/model.ts';
import type { LocalOrigins } from '../../../identify/enrichment/embedded/data.ts';
import type { StoredRetro } from '../../../identify/threat/retro-evidence.ts';
import { originsOf } from './origins.ts';
import type { StoredDetail } from './query.ts';

/** What other features know of a connection. */
export interface DetailPeers {
  localOrigins(address: string): LocalOrigins;
  vendorData(): { name: string; version: string } | null;
  evidence(connection: Connection, retro: StoredRetro | null): ThreatEvidence | null;
}

type Detail = Omit<ConnectionDetail, 'judged' | 'judgedWhy' | 'coverage' | 'serverTime'>;

export function detailOf({ answers, holder, agentId, retro, ...stored }: StoredDetail, peers: DetailPeers): Detail {
  const { connection } = stored;
  const { src, dst, dport, proto } = connection;
  const [local, vendors] = [peers.localOrigins(dst), peers.vendorData()];
  return {
    id: [src, dst, dport, proto].join(),
    ...stored,
    origins: originsOf({ connection, answers, holder, local, vendors }),
    threatEvidence: peers.evidence(connection, retro),
    device: deviceOf(holder),
    reconciliation: { agentId, ...reconciled(connection, agentId) },
  };
}

function deviceOf(holder: StoredDetail['holder']): ConnectionDetail['device'] {
  if (holder === null) {
    return null;
  }
  const { deviceId, name, mac, vendor, since, until } = holder;
  return { deviceId, name, mac, vendor, since, until };
}

function reconciled({ observedBy, agentHost }: Connection, agentId: string | null) {
  const isRouted = observedBy.length > 0;
  if (agentHost !== null) {
    return isRouted
      ? { verdict: 'both' as const, explanation: 'routers and the Agent of the machine saw it' }
      : {
          verdict: 'agent_only' as const,
          explanation: 'only the Agent saw it: it took another way, or ended between two reads of the routers',
        };
  }
  return agentId === null
    ? { verdict: 'no_agent' as const, explanation: 'the machine had no Agent' }
    : {
        verdict: 'router_only' as const,
        explanation: `the Agent of the machine did not report it: GET /api/agents/${agentId}/reconciliation says why`,
      };
}
