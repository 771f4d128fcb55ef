// How regular the contacts of a beacon are.

import type { Reply } from '../api/client.ts';
import { Fact, TimeFact } from '../parts/fact.tsx';
import { Failure, Note } from '../parts/note.tsx';
import type { Detection } from '../state/alerts.ts';
import { connectionId } from '../state/connection-id.ts';
import { useAsked } from '../state/loaded.ts';
import { duration, number, percent } from '../text/format.ts';
import { text } from '../text/text.ts';
import { BeaconTimes } from './beacon-times.tsx';

type Beacon = Reply<'GET /api/beacons'>['beacons'][number];

export function BeaconEvidence({ detection }: { detection: Detection }) {
  const t = text.value;
  const { value, error, reload } = useAsked('GET /api/beacons', {
    query: { includeDismissed: '1', includeBenign: '1' },
  });
  if (error) {
    return <Failure error={error} reload={reload} />;
  }
  if (value === null) {
    return <p class="empty">{t.loading}</p>;
  }
  const beacon = value.beacons.find((one) => connectionId(one) === connectionId(detection));
  if (beacon === undefined) {
    return <Note title={t.alerts.regularNoMore} />;
  }
  return (
    <>
      <Rhythm beacon={beacon} />
      <Times id={beacon.id} />
    </>
  );
}

function Times({ id }: { id: number }) {
  const { value, error, reload } = useAsked('GET /api/beacons/:id', { params: { id: String(id) } });
  if (error) {
    return <Failure error={error} reload={reload} />;
  }
  const { at, exact } = value?.starts ?? { at: [], exact: false };
  return at.length < 2 ? null : <BeaconTimes at={at} isExact={exact} />;
}

function Rhythm({
  beacon: { intervalMs, intervalCov, obsCount, score, benign, firstSeen, lastSeen },
}: {
  beacon: Beacon;
}) {
  const t = text.value.alerts;
  return (
    <dl>
      <Fact name={t.interval} source={t.spread(percent(intervalCov))}>
        {t.every(duration(intervalMs), number(obsCount))}
      </Fact>
      <Fact name={t.certainty} source={score >= 0.6 ? t.strong : t.weak}>
        {percent(score)}
      </Fact>
      {benign === null ? null : <Fact name={t.benign}>{t.benignReasons[benign]}</Fact>}
      <TimeFact name={text.value.columns.firstSeen} at={firstSeen} />
      <TimeFact name={text.value.columns.lastSeen} at={lastSeen} />
    </dl>
  );
}
