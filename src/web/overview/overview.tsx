// The overview: one sentence that says whether anything needs a look, then the cards behind it.
import { useEffect } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { NewHere } from '../parts/new-here.tsx';
import { Failure } from '../parts/note.tsx';
import { askAlerts, useAlerts } from '../state/alerts.ts';
import { onEvent } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { type RangeName, range, rangeQuery } from '../state/range.ts';
import { useRouters } from '../state/routers.ts';
import { Checklist } from './checklist.tsx';
import { Collection } from './collection.tsx';
import { FirstStart } from './first-start.tsx';
import { loadMarks } from './marks.ts';
import { NeedsLook } from './needs-look.tsx';
import { Sentence } from './sentence.tsx';
import { useSteps } from './steps.ts';
import { TopDevices, TopOrganisations } from './top.tsx';
import { Traffic } from './traffic.tsx';

/** Bars of the chart, so that one is a round length of time; a custom period has as many as a day. */
const bars: Readonly<Record<RangeName, number>> = { '1h': 60, '6h': 36, '24h': 48, '7d': 56, '14d': 56 };

/** Open alerts that are more than a new device: the most serious first, five at most of each level. */
async function loadUrgent(signal: AbortSignal) {
  const [danger, warn] = await Promise.all([
    askAlerts({ state: 'open', level: 'danger', limit: '5' }, signal),
    askAlerts({ state: 'open', level: 'warn', limit: '5' }, signal),
  ]);
  return { ...warn, alerts: [...danger.alerts, ...warn.alerts] };
}

export function Overview() {
  const { name, from, to } = range.value;
  const query = rangeQuery.value;
  const buckets = String(bars[name ?? '24h']);
  const earlier = { from: String(from - (to - from)), to: String(from), buckets: '1' };
  const loaded = useLoaded(`${from} ${to}`, (signal) =>
    Promise.all([
      ask('GET /api/connections/summary', { query: { ...query, buckets } }, signal),
      ask('GET /api/connections/summary', { query: earlier }, signal),
      ask('GET /api/connections/new-nodes', { query }, signal),
      ask('GET /api/coverage', { query: { ...query, buckets } }, signal),
      loadMarks(query, signal),
    ]),
  );
  const alerts = useAlerts('urgent', loadUrgent);
  const routers = useRouters();
  const steps = useSteps(routers);
  const isEmpty = loaded.value?.[0].total === 0;
  // An empty view is loaded again with the first connection, not only once a minute.
  useEffect(() => (isEmpty ? onEvent('connections-update', loaded.reload) : undefined), [isEmpty]);
  if (loaded.value === null || alerts.value === null) {
    const failed = [loaded, alerts].find(({ error }) => error !== null);
    return failed ? <Failure error={failed.error} reload={failed.reload} /> : null;
  }
  if (steps === undefined) {
    return null;
  }
  const [summary, before, fresh, coverage, marks] = loaded.value;
  const isDimmed = loaded.isStale;
  if (isEmpty && routers.value?.length === 0) {
    return <FirstStart steps={steps} />;
  }
  return (
    <div class="overview">
      <Sentence summary={summary} alerts={alerts.value} />
      <Failure error={loaded.error} reload={loaded.reload} />
      <Failure error={alerts.error} reload={alerts.reload} />
      <NeedsLook alerts={alerts.value} />
      <Collection routers={routers} coverage={coverage} />
      <Checklist steps={steps} />
      <Traffic summary={summary} before={before.total} coverage={coverage} marks={marks} isDimmed={isDimmed} />
      <NewHere fresh={fresh} isDimmed={isDimmed} />
      <TopDevices summary={summary} isDimmed={isDimmed} />
      <TopOrganisations summary={summary} isDimmed={isDimmed} />
    </div>
  );
}
