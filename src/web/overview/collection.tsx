// Who is read, how that goes, and what to do where it does not.
import { Card } from '../parts/card.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { Time } from '../parts/time.tsx';
import type { useRouters } from '../state/routers.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

export function Collection({ routers: { value: routers, error, again } }: { routers: ReturnType<typeof useRouters> }) {
  const t = text.value;
  return (
    <Card title={t.collection}>
      {error && routers === null ? <Failure error={error} again={again} /> : null}
      {routers?.length === 0 ? <Note title={t.noRouters} help={t.noRoutersHelp} /> : null}
      <ul class="rows">
        {routers?.map((router) => (
          <li key={router.id} class={router.ready || !router.enabled ? '' : 'warn'}>
            <span>
              {router.displayName || router.hostName || router.id}{' '}
              <small>
                {router.model}{' '}
                {router.ready && router.lastSuccessAt !== null ? <Time at={router.lastSuccessAt} /> : router.message}
              </small>
            </span>
            <span class="figure">{number(router.sessionCount)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
