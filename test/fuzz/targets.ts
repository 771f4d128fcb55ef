// Every reader of outside bytes with what it is tried with. A module of src, gate or simulators that exports a reader is
// named by a target or below (inventory.unit.test.ts).
import { agentTargets } from './families/agent.ts';
import { endpointTargets } from './families/endpoint.ts';
import { hubTargets } from './families/hub.ts';
import { logAndFeedTargets } from './families/logs-and-feeds.ts';
import { routerTargets } from './families/routers.ts';
import { upsTargets } from './families/ups.ts';
import type { Target } from './target.ts';

export const targets: readonly Target[] = [
  ...routerTargets,
  ...logAndFeedTargets,
  ...upsTargets,
  ...agentTargets,
  ...endpointTargets,
  ...hubTargets,
];
