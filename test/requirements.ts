// The requirement manifest: the specifications as data (docs/reference/specification.md). Tests cite its ids with
// `verifies`; the coverage test compares.
import { card } from './requirements/card.ts';
import { mcpAuth } from './requirements/mcp-auth.ts';
import { mcpGate } from './requirements/mcp-gate.ts';
import { mcpHttp } from './requirements/mcp-http.ts';
import { mcpLimits } from './requirements/mcp-limits.ts';
import { mcpTools } from './requirements/mcp-tools.ts';
import type { Requirement } from './requirements/requirement.ts';
import { restAgents } from './requirements/rest-agents.ts';
import { restAi } from './requirements/rest-ai.ts';
import { restAlerts } from './requirements/rest-alerts.ts';
import { restAuth } from './requirements/rest-auth.ts';
import { restBackup } from './requirements/rest-backup.ts';
import { restBlockList } from './requirements/rest-block-list.ts';
import { restCommon } from './requirements/rest-common.ts';
import { restConnections } from './requirements/rest-connections.ts';
import { restDestinations } from './requirements/rest-destinations.ts';
import { restDevices } from './requirements/rest-devices.ts';
import { restHealth } from './requirements/rest-health.ts';
import { restDiagnostics, restMetrics } from './requirements/rest-metrics.ts';
import { restPrivacy } from './requirements/rest-privacy.ts';
import { restRouters } from './requirements/rest-routers.ts';
import { restSettings } from './requirements/rest-settings.ts';
import { simulators } from './requirements/simulators.ts';
import { ups } from './requirements/ups.ts';

/** Everything the specifications say the system does, in the order of the documents. */
export const requirements: readonly Requirement[] = [
  ...card,
  ...simulators,
  ...restCommon,
  ...restAuth,
  ...restAgents,
  ...restRouters,
  ...restConnections,
  ...restDevices,
  ...restAlerts,
  ...restDestinations,
  ...restBlockList,
  ...restPrivacy,
  ...restBackup,
  ...restHealth,
  ...restSettings,
  ...restMetrics,
  ...restDiagnostics,
  ...restAi,
  ...mcpTools,
  ...mcpHttp,
  ...mcpAuth,
  ...mcpLimits,
  ...mcpGate,
  ...ups,
];
