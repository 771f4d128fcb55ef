// Every query that reader threads answer. They load this module, so it belongs to no feature.
import { agentQueries } from './agents/queries.ts';
import { unseenEventQueries } from './agents/unseen-events.ts';
import { conversationQueries } from './ai/conversations/queries.ts';
import { aiUsageQueries } from './ai/usage/queries.ts';
import { beaconQueries } from './beacons/scan.ts';
import { queries as connectionQueries } from './connections/queries.ts';
import { coverageQueries } from './coverage/queries.ts';
import { detectionQueries } from './detection/queries.ts';
import { deviceQueries } from './devices/queries.ts';
import { noteQueries } from './notes/drafts/draft-facts.ts';
import { storageQueries } from './storage/queries.ts';

export const queries = {
  ...connectionQueries,
  ...coverageQueries,
  ...detectionQueries,
  ...beaconQueries,
  ...deviceQueries,
  ...noteQueries,
  ...storageQueries,
  ...agentQueries,
  ...unseenEventQueries,
  ...aiUsageQueries,
  ...conversationQueries,
};

export type HubQueries = typeof queries;
