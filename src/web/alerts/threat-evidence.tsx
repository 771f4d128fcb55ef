// Why a destination is listed, as the lists have it now; what they had at the time is in the title.
import { ask, type Reply } from '../api/client.ts';
import { Evidence } from '../parts/evidence.tsx';
import { Fact } from '../parts/fact.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { Time } from '../parts/time.tsx';
import { flowOf } from '../state/attention.ts';
import type { Detection } from '../state/causes.ts';
import { useLoaded } from '../state/loaded.ts';
import { country } from '../text/format.ts';
import { text } from '../text/text.ts';

type Detail = Reply<'GET /api/connections/:id'>;

export function ThreatEvidence({ detection }: { detection: Detection }) {
  const t = text.value;
  const id = flowOf(detection);
  const { value, error, again } = useLoaded(id, (signal) =>
    ask('GET /api/connections/:id', { params: { id } }, signal),
  );
  if (error) {
    return error.status === 404 ? <Note title={t.detail.gone} /> : <Failure error={error} again={again} />;
  }
  return value ? <Known detail={value} /> : <p class="empty">{t.loading}</p>;
}

function Known({ detail: { threatEvidence, connection, judgedWhy } }: { detail: Detail }) {
  const t = text.value;
  const { dst, dstHost, org, country: code, process, firstSeen, lastSeen } = connection;
  const { matchType, matchValue, port } = threatEvidence ?? {};
  return (
    <>
      {threatEvidence ? <Evidence evidence={threatEvidence} /> : <Note title={t.alerts.notListed} />}
      {judgedWhy === null ? null : <p>{judgedWhy.message}</p>}
      <dl>
        {matchType === undefined ? null : (
          <Fact name={t.alerts.matched} from={t.alerts.matchTypes[matchType]}>
            <bdi>{matchValue}</bdi>
            {port === null ? '' : `:${port}`}
          </Fact>
        )}
        <Fact name={t.detail.destination} from={dstHost ?? undefined}>
          {dst}
        </Fact>
        <Fact name={t.detail.organisation} from={code === null ? undefined : country(code)}>
          {org ?? t.detail.unknown}
        </Fact>
        {process === null ? null : <Fact name={t.detail.process}>{process}</Fact>}
        <Fact name={t.columns.firstSeen}>
          <Time at={firstSeen} />
        </Fact>
        <Fact name={t.columns.lastSeen}>
          <Time at={lastSeen} />
        </Fact>
      </dl>
    </>
  );
}
