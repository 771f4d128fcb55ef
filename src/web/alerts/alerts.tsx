// The alerts of the period by cause, newest first, and the details of one of them.
import type { DetectionType } from '#contract/detection.ts';
import { AlertRow } from '../parts/alert-row.tsx';
import { alertLogHref } from '../parts/alert-words.ts';
import { Link } from '../parts/link.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { type Cause, groupByCause } from '../state/causes.ts';
import { describePeriod, range, rangeParameters } from '../state/range.ts';
import { hrefWith, query } from '../state/url.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';
import { AlertDrawer } from './alert-drawer.tsx';
import { AlertFilters, useAlertFilter } from './alert-filters.tsx';
import { useInbox } from './inbox.ts';

/** Fails to compile when a type of the contract is missing. */
const filters = Object.keys({ threat: 0, retro_match: 0, beacon: 0, new_device: 0 } satisfies Record<
  DetectionType,
  0
>) as DetectionType[];

export function Alerts() {
  const t = text.value;
  const kind = filters.find((type) => type === query.value.get('type')) ?? null;
  const narrowed = useAlertFilter();
  const inbox = useInbox(narrowed.asked && { kind, ...narrowed.asked });
  const { logs, fresh, reload, error } = inbox;
  const causes = logs && groupByCause(logs);
  const open = query.value.get('open');
  const opened = causes?.find(({ all }) => all.some(({ id }) => String(id) === open));
  return (
    <div class="inbox">
      <header>
        <h1>{t.places.alerts}</h1>
        <p>
          {describePeriod(range.value)}{' '}
          <span role="status">
            {fresh > 0 ? (
              <button type="button" class="chip add" onClick={reload}>
                {t.newRows(number(fresh))}
              </button>
            ) : null}
          </span>
        </p>
      </header>
      <Kinds chosen={kind} />
      <AlertFilters narrowed={narrowed} />
      <Failure error={error} reload={reload} />
      {logs === null && error === null ? <p class="note">{t.loading}</p> : null}
      {causes?.length === 0 ? <Empty isNarrowed={kind !== null || narrowed.isAny} /> : null}
      {causes && causes.length > 0 ? <Rows causes={causes} isDimmed={inbox.isLoading} /> : null}
      {inbox.hasMore ? (
        <button type="button" disabled={inbox.isLoading} onClick={inbox.more}>
          {t.alerts.more}
        </button>
      ) : null}
      {open !== null && causes !== null ? <AlertDrawer key={open} cause={opened ?? null} /> : null}
    </div>
  );
}

/** With a filter, "nothing was detected" would be wrong. */
function Empty({ isNarrowed }: { isNarrowed: boolean }) {
  const t = text.value.alerts;
  return isNarrowed ? (
    <Note title={t.emptyFiltered}>
      <Link class="button" to={hrefWith({ type: null, level: null, device: null, open: null })}>
        {t.clear}
      </Link>
    </Note>
  ) : (
    <Note title={t.empty} help={t.emptyHelp} />
  );
}

function Kinds({ chosen }: { chosen: DetectionType | null }) {
  const t = text.value.alerts;
  return (
    <nav class="ranges kinds" aria-label={t.filter}>
      {[null, ...filters].map((type) => (
        <Link key={type} to={hrefWith({ type, open: null })} aria-current={type === chosen ? 'true' : undefined}>
          {type === null ? t.all : t.filters[type]}
        </Link>
      ))}
    </nav>
  );
}

function Rows({ causes, isDimmed }: { causes: readonly Cause[]; isDimmed: boolean }) {
  return (
    <ul class={`card alerts ${isDimmed ? 'dimmed' : ''}`} aria-busy={isDimmed}>
      {causes.map((cause) => (
        <AlertRow key={cause.key} cause={cause} to={hrefWith({ open: String(cause.mainDetection.id) })}>
          <Link class="button" to={alertLogHref(cause.mainDetection, rangeParameters.value)}>
            {text.value.alerts.log}
          </Link>
        </AlertRow>
      ))}
    </ul>
  );
}
