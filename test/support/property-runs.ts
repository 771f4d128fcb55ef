// How much the expensive tests do: a share of it in `npm test` and `npm run test:e2e`, all of it in `npm run test:whole`. The
// share finds what is wrong often; the whole is for what is wrong seldom.
import { childEnv } from '#kernel/process/env.ts';

/** Set by the project `whole` of vitest.config.ts. */
export const wholeRuns = { PROPERTY_RUNS: 'whole' };

/** The files outside test/e2e that ask `runs`. */
export const propertyFiles = [
  'test/agent/spool-faults.test.ts',
  'test/agent/command/spool-kill.test.ts',
  'test/hub/analyse/ai/outbound.test.ts',
  'test/hub/analyse/ai/schedule.unit.test.ts',
  'test/hub/base/clock/times.test.ts',
  'test/hub/identify/devices/merge-property.test.ts',
  'test/hub/record/connections/privacy-counts.test.ts',
  'test/hub/identify/devices/one-machine.test.ts',
  'test/hub/analyse/insights/context.unit.test.ts',
  'test/hub/record/connections/compare.test.ts',
  'test/hub/record/sink/history.test.ts',
  'test/hub/start/failed-steps.test.ts',
  'test/hub/base/storage/commands.test.ts',
  'test/hub/base/storage/replacement.test.ts',
  'test/kernel/salvage.test.ts',
  'test/hub/collect/routers/uncertainty.test.ts',
  'test/rest/ai-chat-durable.test.ts',
  'test/rest/ai-usage-kept.test.ts',
  'test/rest/clock-expiry.test.ts',
  'test/rest/detection-preview.test.ts',
  'test/rest/connections-filter.test.ts',
  'test/rest/connections-model.test.ts',
  'test/rest/connections-packed.test.ts',
  'test/rest/connections-summary-model.test.ts',
  'test/rest/hostile-requests.test.ts',
  'test/hub/collect/routers/path.test.ts',
  'test/hub/collect/routers/secrets.test.ts',
  'test/hub/collect/routers/torn-rows.unit.test.ts',
  'test/hub/collect/routers/unseen.test.ts',
  'test/hub/collect/routers/vendor-a.unit.test.ts',
  'test/hub/collect/routers/vendor-b.unit.test.ts',
  'test/soak/virtual/virtual.test.ts',
  'test/soak/storm/storm.test.ts',
];

/** How many of `whole` runs, worlds or queries are made here. */
export function runs(share: number, whole: number): number {
  return childEnv().PROPERTY_RUNS === wholeRuns.PROPERTY_RUNS ? whole : share;
}

/** As it stands in the name of a test: what is made here, and of how many. */
export function budget(share: number, whole: number, what: string): string {
  const made = runs(share, whole);
  return made === whole ? `${made} ${what}` : `${made} of ${whole} ${what}`;
}
