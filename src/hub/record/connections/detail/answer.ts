// The answer about one connection: what the log has, joined with what feeds and local data say now.
import type { ConnectionDetail, ThreatEvidence } from '#contract/connection-detail.ts';
import type { Connection } from '#contract/model.ts';
import type { LocalOrigins } from '../../../identify/enrichment/embedded/data.ts';
import type { StoredRetro } from '../../../identify/threat/retro-evidence.ts';
import { listOrigins } from './origins.ts';
import type { StoredDetail } from './query.ts';

/** What other features know of a connection. */
export interface DetailPeers {
  localOrigins(address: string): LocalOrigins;
  vendorData(): { name: string; version: string } | null;
  evidence(connection: Connection, retro: StoredRetro | null): ThreatEvidence | null;
}

type Detail = Omit<ConnectionDetail, 'judged' | 'judgedWhy' | 'coverage' | 'serverTime'>;

export function toDetail({ answers, holder, agentId, retro, ...stored }: StoredDetail, peers: DetailPeers): Detail {
  const { connection } = stored;
  const { src, dst, dport, proto } = connection;
  return {
    id: [src, dst, dport, proto].join(),
    ...stored,
    origins: listOrigins({
      connection,
      answers,
      holder,
      local: peers.localOrigins(dst),
      vendors: peers.vendorData(),
    }),
    threatEvidence: peers.evidence(connection, retro),
    device: toDevice(holder),
    reconciliation: { agentId, ...toReconciliation(connection, agentId) },
  };
}

function toDevice(holder: StoredDetail['holder']): ConnectionDetail['device'] {
  if (holder === null) {
    return null;
  }
  const { deviceId, name, mac, vendor, since, until } = holder;
  return { deviceId, name, mac, vendor, since, until };
}

function toReconciliation({ observedBy, agentHost }: Connection, agentId: string | null) {
  const isRouted = observedBy.length > 0;
  const verdict: Detail['reconciliation']['verdict'] =
    agentHost === null ? (agentId === null ? 'no_agent' : 'router_only') : isRouted ? 'both' : 'agent_only';
  const explanation = {
    both: 'routers and the Agent of the machine saw it',
    agent_only: 'only the Agent saw it: it took another way, or ended between two reads of the routers',
    no_agent: 'the machine had no Agent',
    router_only: `the Agent of the machine did not report it: GET /api/agents/${agentId}/reconciliation says why`,
  }[verdict];
  return { verdict, explanation };
}
