// Why a destination is listed, by the current lists. The title has the finding of that time.

import type { Reply } from '../api/client.ts';
import { Evidence } from '../parts/evidence.tsx';
import { Fact, TimeFact } from '../parts/fact.tsx';
import { describeJudged } from '../parts/judged.ts';
import { Failure, Note } from '../parts/note.tsx';
import type { Detection } from '../state/alerts.ts';
import { connectionId } from '../state/connection-id.ts';
import { useAsked } from '../state/loaded.ts';
import { country } from '../text/format.ts';
import { text } from '../text/text.ts';

type Detail = Reply<'GET /api/connections/:id'>;

export function ThreatEvidence({ detection }: { detection: Detection }) {
  const t = text.value;
  const id = connectionId(detection);
  const { value, error, reload } = useAsked('GET /api/connections/:id', { params: { id } });
  if (error) {
    return error.status === 404 ? <Note title={t.detail.gone} /> : <Failure error={error} reload={reload} />;
  }
  return value ? <Known detail={value} /> : <p class="empty">{t.loading}</p>;
}

function Known({ detail }: { detail: Detail }) {
  const t = text.value;
  const { threatEvidence, connection, judgedWhy } = detail;
  const { dst, dstHost, org, country: code, process, firstSeen, lastSeen } = connection;
  const { matchType, matchValue, port } = threatEvidence ?? {};
  return (
    <>
      {threatEvidence ? (
        <Evidence evidence={threatEvidence} dport={connection.dport} />
      ) : (
        <Note title={t.alerts.notListed} />
      )}
      {judgedWhy === null ? null : <p>{describeJudged(detail)}</p>}
      <dl>
        {matchType === undefined ? null : (
          <Fact name={t.alerts.matched} source={t.alerts.matchTypes[matchType]}>
            <bdi>{matchValue}</bdi>
            {port === null ? '' : `:${port}`}
          </Fact>
        )}
        <Fact name={t.detail.destination} source={dstHost ?? undefined}>
          {dst}
        </Fact>
        <Fact name={t.detail.organisation} source={code === null ? undefined : country(code)}>
          {org ?? t.detail.unknown}
        </Fact>
        {process === null ? null : <Fact name={t.detail.process}>{process}</Fact>}
        <TimeFact name={t.columns.firstSeen} at={firstSeen} />
        <TimeFact name={t.columns.lastSeen} at={lastSeen} />
      </dl>
    </>
  );
}
