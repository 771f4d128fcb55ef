// The alerts to work off, and the rules that keep some quiet. Nothing here depends on the period in the header.
import { useEffect, useRef } from 'preact/hooks';
import { useDevices } from '../devices/names.ts';
import { Link } from '../parts/link.tsx';
import { NoRows } from '../parts/no-rows.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { hrefWith, openOver, query } from '../state/url.ts';
import { words } from '../text/alerts/words.ts';
import { text } from '../text/text.ts';
import { asked, done, selected } from './act.ts';
import { MayNot } from './action-buttons.tsx';
import { ActionDialog } from './action-dialog.tsx';
import { AlertDrawer } from './alert-drawer.tsx';
import { AlertFilters, Tabs } from './alert-filters.tsx';
import { AlertList } from './alert-list.tsx';
import { AlertRules } from './alert-rules.tsx';
import { DoneBar } from './done-bar.tsx';
import { noFilter, readFilter, useInbox } from './inbox.ts';

export function Alerts() {
  const t = words.value;
  const view = query.value.get('view') === 'rules' ? 'rules' : 'inbox';
  useEffect(() => leave, []);
  return (
    <div class="inbox">
      <header>
        <h1>{text.value.places.alerts}</h1>
      </header>
      <nav class="ranges" aria-label={t.viewsLabel}>
        {(['inbox', 'rules'] as const).map((one) => (
          <Link
            key={one}
            to={hrefWith({ ...noFilter, view: one === 'inbox' ? null : one, alert: null })}
            aria-current={one === view ? 'page' : undefined}
          >
            {t.views[one]}
          </Link>
        ))}
      </nav>
      <MayNot />
      {view === 'rules' ? <AlertRules /> : <Inbox />}
      <DoneBar />
      <ActionDialog />
    </div>
  );
}

/** Clears selection, dialog and message when the page is left: they are kept outside of the component. */
function leave(): void {
  done.value = null;
  asked.value = null;
  selected.value = new Set();
}

function Inbox() {
  const filter = readFilter();
  const devices = useDevices();
  const { value, error, isLoading, reload, more } = useInbox(filter, devices);
  const open = query.value.get('alert');
  const position = useRef(0);
  const alerts = value?.alerts ?? [];
  const at = alerts.findIndex(({ id }) => String(id) === open);
  if (at !== -1) {
    position.current = at;
  }
  // An alert that was handled leaves the list: the next one has its position.
  const move = (step: 1 | -1) => {
    const next = alerts[at === -1 ? position.current + Math.min(0, step) : at + step];
    if (next) {
      openOver('alert', String(next.id));
    }
  };
  return (
    <>
      <Tabs shown={filter.tab} counts={value?.counts} />
      <AlertFilters filter={filter} devices={devices} />
      <Failure error={error} reload={reload} />
      {value === null && error === null ? <p class="note">{text.value.loading}</p> : null}
      {value && alerts.length === 0 ? <Empty isFiltered={Object.values(filter).join('') !== 'todo'} /> : null}
      {value ? (
        <AlertList alerts={alerts} isDimmed={error !== null} isBelow={open !== null} position={position} />
      ) : null}
      {(value?.next ?? null) === null ? null : (
        <button type="button" disabled={isLoading} onClick={more}>
          {text.value.alerts.more}
        </button>
      )}
      {open === null ? null : <AlertDrawer id={open} move={move} />}
    </>
  );
}

/** With a filter, "no alert needs work" would be wrong. */
function Empty({ isFiltered }: { isFiltered: boolean }) {
  const t = words.value;
  return isFiltered ? (
    <Note title={t.emptyFiltered}>
      <Link class="button" to={hrefWith({ ...noFilter, state: 'all', alert: null })}>
        {t.clear}
      </Link>
    </Note>
  ) : (
    <NoRows title={t.empty} help={t.emptyHelp} />
  );
}
