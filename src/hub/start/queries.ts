// Every query that reader threads answer. They load this module, so it belongs to no feature.

import { conversationQueries } from '../analyse/ai/conversations/queries.ts';
import { aiUsageQueries } from '../analyse/ai/usage/queries.ts';
import { beaconPreviewQueries } from '../analyse/beacons/preview.ts';
import { beaconQueries } from '../analyse/beacons/scan.ts';
import { createDetectionPreviewQueries } from '../analyse/detection-preview/preview.ts';
import { noteQueries } from '../analyse/note-drafts/draft-facts.ts';
import { auditQueries } from '../base/auth/audit-queries.ts';
import { storageQueries } from '../base/storage/queries.ts';
import { agentQueries } from '../collect/agents/queries.ts';
import { unseenEventQueries } from '../collect/agents/unseen-events.ts';
import { confirmedQueries } from '../identify/detection/alerts/confirmed.ts';
import { alertQueries } from '../identify/detection/alerts/queries.ts';
import { readLabels } from '../identify/detection/detection-log.ts';
import { detectionQueries } from '../identify/detection/queries.ts';
import { replayCandidates } from '../identify/detection/replay.ts';
import { findProbableDevice } from '../identify/devices/candidates.ts';
import { deviceQueries } from '../identify/devices/queries.ts';
import { isOnlyPublished } from '../identify/enrichment/answers.ts';
import { blockListQueries } from '../identify/threat/block-list/queries.ts';
import { openVerdicts } from '../identify/threat/stored-verdicts.ts';
import { queries as connectionQueries } from '../record/connections/queries.ts';
import { HourRows } from '../record/connections/store/hour-pack.ts';
import { findFirstHour, findHours, readHourRows } from '../record/connections/store/hour-rows.ts';
import { coverageQueries } from '../record/coverage/queries.ts';

export const queries = {
  ...auditQueries,
  ...connectionQueries,
  ...coverageQueries,
  ...detectionQueries,
  ...alertQueries,
  ...confirmedQueries,
  ...blockListQueries,
  ...beaconQueries,
  ...beaconPreviewQueries,
  ...createDetectionPreviewQueries({
    hours: { createRows: () => new HourRows(), findHours, readHourRows, findFirstHour },
    findProbableDevice,
    readLabels,
    replayCandidates,
    openVerdicts,
    isOnlyPublished,
  }),
  ...deviceQueries,
  ...noteQueries,
  ...storageQueries,
  ...agentQueries,
  ...unseenEventQueries,
  ...aiUsageQueries,
  ...conversationQueries,
};

export type HubQueries = typeof queries;
