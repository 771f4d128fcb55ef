// The inbox: what was detected in the period, by cause, newest first; one of them opened at the side.
import type { DetectionType } from '#contract/detection.ts';
import { AlertRow } from '../parts/alert-row.tsx';
import { logOf } from '../parts/alert-words.ts';
import { Link } from '../parts/link.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { range, rangeParameters } from '../state/range.ts';
import { query, withParameters } from '../state/url.ts';
import { dateTime, number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { AlertDrawer } from './alert-drawer.tsx';
import { type Group, grouped } from './groups.ts';
import { useInbox } from './inbox.ts';

/** The compiler names a type that the contract has and this filter lacks. */
const filters = Object.keys({ threat: 0, beacon: 0, new_device: 0 } satisfies Record<
  DetectionType,
  0
>) as DetectionType[];

export function Alerts() {
  const t = text.value;
  const { name, from, to } = range.value;
  const kind = filters.find((type) => type === query.value.get('type')) ?? null;
  const inbox = useInbox(kind);
  const { logs, fresh, again, error } = inbox;
  const groups = logs && grouped(logs);
  const open = query.value.get('open');
  const opened = groups?.find(({ all }) => all.some(({ id }) => String(id) === open));
  return (
    <div class="inbox">
      <header>
        <h1>{t.places.alerts}</h1>
        <p>
          {name === null ? t.rangeOwn(dateTime(from), dateTime(to)) : t.periodNames[name]}{' '}
          <span role="status">
            {fresh > 0 ? (
              <button type="button" class="chip add" onClick={again}>
                {t.newRows(number(fresh))}
              </button>
            ) : null}
          </span>
        </p>
      </header>
      <Kinds chosen={kind} />
      {error ? <Failure error={error} again={again} /> : null}
      {logs === null && error === null ? <p class="note">{t.loading}</p> : null}
      {groups?.length === 0 ? <Note title={t.alerts.empty} help={t.alerts.emptyHelp} /> : null}
      {groups && groups.length > 0 ? <Rows groups={groups} isDimmed={inbox.isLoading} /> : null}
      {inbox.hasMore ? (
        <button type="button" disabled={inbox.isLoading} onClick={inbox.more}>
          {t.alerts.more}
        </button>
      ) : null}
      {open !== null && groups !== null ? <AlertDrawer key={open} group={opened ?? null} /> : null}
    </div>
  );
}

function Kinds({ chosen }: { chosen: DetectionType | null }) {
  const t = text.value.alerts;
  return (
    <nav class="ranges kinds" aria-label={t.filter}>
      {[null, ...filters].map((type) => (
        <Link
          key={type}
          to={withParameters({ type, open: null })}
          {...(type === chosen ? { 'aria-current': 'true' } : {})}
        >
          {type === null ? t.all : t.filters[type]}
        </Link>
      ))}
    </nav>
  );
}

function Rows({ groups, isDimmed }: { groups: readonly Group[]; isDimmed: boolean }) {
  const t = text.value.alerts;
  return (
    <ul class={`card alerts ${isDimmed ? 'dimmed' : ''}`} aria-busy={isDimmed}>
      {groups.map(({ key, lead, all, isDanger }) => (
        <AlertRow
          key={key}
          detection={lead}
          isDanger={isDanger}
          at={all[0]?.detectedAt ?? lead.detectedAt}
          to={withParameters({ open: String(lead.id) })}
          more={all.length === 1 ? [] : [t.times(number(all.length))]}
        >
          <Link class="button" to={logOf(lead, rangeParameters.value)}>
            {t.log}
          </Link>
        </AlertRow>
      ))}
    </ul>
  );
}
