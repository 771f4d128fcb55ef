// The rules that keep alerts quiet: search, change, end, export.
import { ask } from '../api/client.ts';
import { useDevices } from '../devices/names.ts';
import { Failure, Note } from '../parts/note.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useAlerts } from '../state/alerts.ts';
import { hrefWith, navigate, query } from '../state/url.ts';
import { words } from '../text/alerts/words.ts';
import { text } from '../text/text.ts';
import { exportRules } from './export-rules.ts';
import { RuleRow } from './rule-row.tsx';

export function AlertRules() {
  const t = words.value.rules;
  const q = query.value.get('q') ?? '';
  const devices = useDevices();
  const { value, error, isLoading, reload } = useAlerts(q, (signal) =>
    ask('GET /api/alert-rules', { query: { q } }, signal),
  );
  const rules = value?.rules ?? [];
  return (
    <>
      <search class="filter-form">
        <SearchField label={t.search} value={q} change={(value) => navigate(hrefWith({ q: value }))} />
        {(['CSV', 'JSON'] as const).map((format) => (
          <button key={format} type="button" disabled={rules.length === 0} onClick={() => exportRules(rules, format)}>
            {t.exportAs(format)}
          </button>
        ))}
      </search>
      <Failure error={error} reload={reload} />
      {value === null && error === null ? <p class="note">{text.value.loading}</p> : null}
      {value && rules.length === 0 ? (
        q === '' ? (
          <Note title={t.empty} help={t.emptyHelp} />
        ) : (
          <Note title={t.emptyFiltered} />
        )
      ) : null}
      {rules.length === 0 ? null : (
        <ul class="card items rules" aria-busy={isLoading}>
          {rules.map((rule) => (
            <RuleRow key={rule.id} rule={rule} devices={devices.value?.devices} />
          ))}
        </ul>
      )}
    </>
  );
}
