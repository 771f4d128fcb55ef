// How long connections are stored, where home is, and how much room there is.
import { ask, type Reply } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Failure } from '../../parts/note.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { bytes, date, joinWords } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { FormCard } from '../form/form-card.tsx';
import { Doctor } from './doctor.tsx';

/** Says how large the log is and when it is full, such as `1.2 GB of 2 GB, 80 MB a day, full on March 12`. */
function describeRetention({ usedBytes, limitBytes, bytesPerDay, fullAt }: Reply<'GET /api/status'>['retention']) {
  const t = words.value.general;
  const used = bytes(usedBytes);
  const parts = [
    limitBytes === null ? t.logUses(used) : t.logUsesOf(used, bytes(limitBytes)),
    bytesPerDay === null ? null : t.logPerDay(bytes(bytesPerDay)),
    fullAt === null ? null : t.logFullAt(date(fullAt)),
  ];
  return joinWords(parts.filter((part) => part !== null));
}

export function General() {
  const t = words.value.general;
  const { value, error, reload } = useLoaded('general', (signal) =>
    Promise.all([ask('GET /api/config/general', {}, signal), ask('GET /api/status', {}, signal)]),
  );
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  const { storage, retention } = value[1];
  const { freeBytes, totalBytes } = storage;
  return (
    <div class="stack">
      <Failure error={error} reload={reload} />
      <FormCard
        title={words.value.sections.general}
        part="general"
        route="POST /api/config/general"
        words={t}
        only={['retentionDays', 'retentionBytes', 'homeCountry', 'language', 'autoInvestigate']}
        values={value[0]}
        adapt={(body) => ({ ...body, homeCountry: body.homeCountry?.toUpperCase() })}
        saved={reload}
      />
      <Card title={t.disk} part="disk">
        <p>
          {freeBytes === null || totalBytes === null ? t.diskUnknown : t.diskFree(bytes(freeBytes), bytes(totalBytes))}
        </p>
        <p>{describeRetention(retention)}</p>
      </Card>
      <Doctor />
    </div>
  );
}
