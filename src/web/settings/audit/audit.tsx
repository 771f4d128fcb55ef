// The audit trail: search, filters, export, and the newest events that match.
import { useState } from 'preact/hooks';
import { Card } from '../../parts/card.tsx';
import { Select } from '../../parts/choice.tsx';
import { Failure } from '../../parts/note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { hrefWith, navigate } from '../../state/url.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';
import { AuditRow } from './audit-row.tsx';
import { type AuditFilter, outcomes, readEvents, readFilter, types } from './events.ts';
import { ExportAudit } from './export-audit.tsx';

/** Events that are shown first, and that each press of the button adds. */
const step = 50;

export function Audit() {
  const t = words.value.audit;
  const filter = readFilter();
  const key = JSON.stringify(filter);
  const [chosen, setChosen] = useState({ key, count: step });
  // Other filters begin with the newest events again.
  const count = chosen.key === key ? chosen.count : step;
  const load = (signal: AbortSignal) => readEvents(filter, count, signal);
  const { value, error, isLoading, reload } = useLoaded(`${key} ${count}`, load);
  return (
    <Card title={words.value.sections.audit} part="audit" isDimmed={isLoading && value !== null}>
      <p class="help">{t.help}</p>
      <Filters filter={filter} />
      <ExportAudit filter={filter} />
      <Failure error={error} reload={reload} />
      {value === null && error === null ? <p class="empty">{text.value.loading}</p> : null}
      <p class="empty" role="status">
        {value?.events.length === 0 ? t.none : ''}
      </p>
      <ul class="items">
        {value?.events.map((event) => (
          <AuditRow key={event.eventId} event={event} />
        ))}
      </ul>
      {value?.hasMore ? (
        <p class="actions">
          <button type="button" disabled={isLoading} onClick={() => setChosen({ key, count: count + step })}>
            {t.more}
          </button>
        </p>
      ) : null}
    </Card>
  );
}

const change = (name: keyof AuditFilter, value: string) => navigate(hrefWith({ [name]: value }), 'replace');

function Filters({ filter }: { filter: AuditFilter }) {
  const t = words.value.audit;
  return (
    <search class="filter-form">
      <SearchField label={t.search} value={filter.q} change={(q) => change('q', q)} />
      <Select
        label={t.type}
        value={filter.type ?? ''}
        values={['', ...types]}
        describe={(type) => (type === '' ? t.all : t.types[type])}
        choose={(type) => change('type', type)}
      />
      <Select
        label={t.outcome}
        value={filter.outcome ?? ''}
        values={['', ...outcomes]}
        describe={(outcome) => (outcome === '' ? t.all : t.outcomes[outcome])}
        choose={(outcome) => change('outcome', outcome)}
      />
    </search>
  );
}
