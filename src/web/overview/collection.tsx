// Who is read, how that goes, and what to do where it does not.
import { useEffect, useState } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { Time } from '../parts/time.tsx';
import { onEvent } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { number } from '../text/format.ts';
import { text } from '../text/text.ts';

type Router = Reply<'GET /api/routers'>['routers'][number];

export function Collection() {
  const t = text.value;
  const { value, error, again } = useLoaded('routers', (signal) => ask('GET /api/routers', {}, signal));
  const [latest, setLatest] = useState<readonly Router[] | null>(null);
  useEffect(() => onEvent('routers-status', (routers) => setLatest(routers as Router[])), []);
  const routers = latest ?? value?.routers;
  return (
    <Card title={t.collection}>
      {error && routers === undefined ? <Failure error={error} again={again} /> : null}
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
