// How long connections are stored, where home is, and how much room there is.
import { ask } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { Failure } from '../../parts/note.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { bytes } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { FormCard } from '../form/form-card.tsx';

export function General() {
  const t = words.value.general;
  const { value, error, reload } = useLoaded('general', (signal) =>
    Promise.all([ask('GET /api/config/general', {}, signal), ask('GET /api/status', {}, signal)]),
  );
  if (value === null) {
    return <Failure error={error} reload={reload} />;
  }
  const { freeBytes, totalBytes } = value[1].storage;
  return (
    <div class="stack">
      <Failure error={error} reload={reload} />
      <FormCard
        title={words.value.sections.general}
        part="general"
        route="POST /api/config/general"
        words={t}
        only={['retentionDays', 'homeCountry', 'language', 'autoInvestigate']}
        values={value[0]}
        adapt={(body) => ({ ...body, homeCountry: body.homeCountry?.toUpperCase() })}
        saved={reload}
      />
      <Card title={t.disk} part="disk">
        <p>
          {freeBytes === null || totalBytes === null ? t.diskUnknown : t.diskFree(bytes(freeBytes), bytes(totalBytes))}
        </p>
      </Card>
    </div>
  );
}
