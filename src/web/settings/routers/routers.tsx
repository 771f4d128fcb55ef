// The routers that are read: how each is doing, and the ways to add, change and remove one.
import { useEffect, useRef } from 'preact/hooks';
import { Card } from '../../parts/card.tsx';
import { Failure, Note } from '../../parts/note.tsx';
import { LinkButton, Permitted } from '../../parts/permitted.tsx';
import { useRouters } from '../../state/routers.ts';
import { may } from '../../state/session.ts';
import { hrefWith, navigate, query } from '../../state/url.ts';
import { number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { AddRouter } from './add-router.tsx';
import { EditRouter } from './edit-router.tsx';
import { RouterRow } from './router-row.tsx';

export function Routers() {
  const t = words.value.routers;
  const { value: routers, most, error, isLoading, reload } = useRouters();
  const heading = useRef<HTMLDivElement>(null);
  const isAdding = query.value.get('add') !== null;
  const edited = query.value.get('router');
  // Moves the focus to what was opened or closed.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) {
      heading.current?.focus();
    }
    isFirst.current = false;
  }, [isAdding, edited]);
  const leave = () => {
    navigate(hrefWith({ add: null, router: null }));
    reload();
  };
  const found = routers?.find(({ id }) => id === edited);
  const isFull = (routers?.length ?? 0) >= most;
  return (
    <div ref={heading} tabIndex={-1} class="stack">
      <Failure error={error} reload={reload} />
      {isAdding && may('settings.write') ? <AddRouter leave={leave} /> : null}
      {!isAdding && found ? <EditRouter key={found.id} router={found} leave={leave} changed={reload} /> : null}
      {isAdding || found || routers === null ? null : (
        <Card title={words.value.sections.routers} part="routers" isDimmed={isLoading}>
          {routers.length === 0 ? <Note title={t.empty} help={t.emptyHelp} /> : null}
          <ul class="items">
            {routers.map((router) => (
              <RouterRow key={router.id} router={router} changed={reload} />
            ))}
          </ul>
          {isFull ? <p class="help">{t.full(number(most))}</p> : null}
          {isFull ? null : (
            <Permitted needs="settings.write">
              <LinkButton kind="main" to={hrefWith({ add: '1' })} needs="settings.write">
                {t.add}
              </LinkButton>
            </Permitted>
          )}
        </Card>
      )}
    </div>
  );
}
