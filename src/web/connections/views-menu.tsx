// The menu of saved views: shows one, saves the present one under a name, deletes one. The browser keeps them.
import { computed } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Confirm } from '../parts/confirm.tsx';
import { TextField } from '../parts/fields.tsx';
import { Link } from '../parts/link.tsx';
import { Menu } from '../parts/menu.tsx';
import { isolateName } from '../parts/outside.ts';
import { logViews } from '../state/preferences.ts';
import { range } from '../state/range.ts';
import { hrefTo, listParameters, navigate, query } from '../state/url.ts';
import { number } from '../text/format.ts';
import { words } from '../text/log/words.ts';
import { shownColumns } from './columns.ts';
import { addView, mostNameChars, mostViews, parseViews, type SavedView, toViewQuery } from './saved-views.ts';

const saved = computed(() => parseViews(logViews.value));

/** What would be saved now. The usual period and the usual columns are named, so that another browser shows the same. */
const presentQuery = computed(() => {
  const { name, from, to } = range.value;
  const period = name === null ? { from: String(from), to: String(to) } : { range: name };
  return toViewQuery(query.value, { ...period, columns: shownColumns.value.map(({ name }) => name).join() });
});

const store = (views: readonly SavedView[]) => {
  logViews.value = JSON.stringify(views);
};

const hrefOfView = ({ name, query: kept }: SavedView) =>
  hrefTo('connections', { ...listParameters(new URLSearchParams(kept)), view: name });

export function ViewsMenu() {
  const w = words.value.views;
  const { views, unread } = saved.value;
  const shown = query.value.get('view');
  return (
    <Menu kind="chooser saved-views" label={w.label} isButton>
      {unread > 0 ? <p class="cut">{w.unread(number(unread))}</p> : null}
      {views.length === 0 ? <p>{w.none}</p> : null}
      <ul>
        {views.map((view) => (
          <li key={view.name}>
            <Link to={hrefOfView(view)} aria-current={view.name === shown ? 'true' : undefined}>
              {view.name}
            </Link>
            <Confirm
              label={w.remove(isolateName(view.name))}
              question={w.removeQuestion(isolateName(view.name))}
              work={async () => store(views.filter(({ name }) => name !== view.name))}
            />
          </li>
        ))}
      </ul>
      <SaveViewForm key={shown} views={views} initial={shown?.slice(0, mostNameChars) ?? ''} />
      <p>
        <small>{w.kept}</small>
      </p>
    </Menu>
  );
}

function SaveViewForm({ views, initial }: { views: readonly SavedView[]; initial: string }) {
  const w = words.value.views;
  const [typed, setTyped] = useState(initial);
  const [isRefused, setRefused] = useState(false);
  const name = typed.trim();
  const save = (event: Event) => {
    event.preventDefault();
    const view = { name, query: presentQuery.value };
    const next = addView(views, view);
    setRefused(next === null);
    if (next) {
      store(next);
      navigate(hrefOfView(view), 'replace');
    }
  };
  return (
    <form onSubmit={save}>
      <TextField
        name="view"
        label={w.name}
        value={initial}
        maxLength={mostNameChars}
        pattern=".*\S.*"
        required
        typed={setTyped}
      />
      {isRefused ? <p role="alert">{w.refused(number(mostViews))}</p> : null}
      <p class="actions">
        <button type="submit" class="main">
          {views.some((view) => view.name === name) ? w.replace(isolateName(name)) : w.save}
        </button>
      </p>
    </form>
  );
}

/** The name of the view that the URL shows, and whether it has been changed since it was saved in this browser. */
export function ViewName() {
  const w = words.value.views;
  const shown = query.value.get('view');
  if (shown === null) {
    return null;
  }
  const name = isolateName(shown.slice(0, mostNameChars));
  const stored = saved.value.views.find((view) => view.name === shown);
  const isChanged = stored !== undefined && stored.query !== presentQuery.value;
  return <p>{isChanged ? w.changed(name) : w.current(name)}</p>;
}
