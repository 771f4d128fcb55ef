// The last step of adding a router: shows its state until its first connections arrive.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { now } from '../../clock.ts';
import { Card } from '../../parts/card.tsx';
import { Link } from '../../parts/link.tsx';
import { Note } from '../../parts/note.tsx';
import { isolateName } from '../../parts/outside.ts';
import { onEvent } from '../../state/live.ts';
import { useLoaded } from '../../state/loaded.ts';
import { range, rangeParameters } from '../../state/range.ts';
import { describeRouter, routerName, useRouters } from '../../state/routers.ts';
import { hrefTo } from '../../state/url.ts';
import { number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { text } from '../../text/text.ts';

/** `name` is that of the new router; `leave` returns to the list of routers. */
export function AddedRouter({ name, leave }: { name: string; leave: () => void }) {
  const t = words.value.routers;
  const body = useRef<HTMLDivElement>(null);
  const { value: routers } = useRouters();
  const [updates, setUpdates] = useState(0);
  const { from } = range.value;
  const router = routers?.findLast((known) => routerName(known) === name);
  const scope = router?.ready ? ({ sourceKind: 'router', sourceId: router.id } as const) : null;
  const { value: page } = useLoaded(`${updates} ${from} ${scope?.sourceId}`, async (signal) =>
    scope === null
      ? null
      : ask('GET /api/connections', { query: { from: String(from), to: String(now()), limit: '1', ...scope } }, signal),
  );
  const count = page?.total ?? 0;
  useEffect(() => body.current?.focus(), []);
  useEffect(() => onEvent('connections-update', () => setUpdates((before) => before + 1)), []);
  return (
    <Card title={t.added(isolateName(name))}>
      <div ref={body} tabIndex={-1}>
        <Note
          title={router?.ready ? t.sessionCount(router.sessionCount, number(router.sessionCount)) : t.firstRows}
          {...(router && !router.ready ? { help: `${t.states[router.state]}: ${describeRouter(router)}` } : {})}
        >
          {count > 0 ? (
            <p>
              <Link to={hrefTo('connections', { ...rangeParameters.value, ...scope })}>
                {t.rowsCame(count, number(count))}
              </Link>
            </p>
          ) : null}
        </Note>
        <p class="actions">
          <Link class="button main" to={hrefTo('', rangeParameters.value)}>
            {text.value.toOverview}
          </Link>
          <button type="button" onClick={leave}>
            {words.value.sections.routers}
          </button>
        </p>
      </div>
    </Card>
  );
}
