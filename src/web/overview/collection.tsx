// The card Collection: the state of every router, with what to do about one that cannot be read.
import type { Reply } from '../api/client.ts';
import { Card } from '../parts/card.tsx';
import { Link } from '../parts/link.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { dot } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { describeRouter, routerName, type useRouters } from '../state/routers.ts';
import { hrefTo } from '../state/url.ts';
import { number, percent } from '../text/format.ts';
import { text } from '../text/text.ts';

interface Props {
  routers: ReturnType<typeof useRouters>;
  coverage: Reply<'GET /api/coverage'>;
}

export function Collection({ routers: { value: routers, error, reload }, coverage }: Props) {
  const t = text.value;
  const shareUnseen = new Map(coverage.subjects.map(({ id, unseen }) => [id, unseen?.share]));
  return (
    <Card title={t.collection}>
      {error && routers === null ? <Failure error={error} reload={reload} /> : null}
      {routers?.length === 0 ? (
        <Note title={t.noRouters} help={t.noRoutersHelp}>
          <Link to={hrefTo('settings', { section: 'routers' })}>{t.toRouters}</Link>
        </Note>
      ) : null}
      <ul class="rows">
        {routers?.map((router) => (
          <li key={router.id} class={router.ready || !router.enabled ? '' : 'warn'}>
            <span>
              <bdi>{routerName(router)}</bdi>{' '}
              <small>
                <bdi>{router.model}</bdi>{' '}
                {router.ready && router.lastSuccessAt !== null ? (
                  <Time at={router.lastSuccessAt} />
                ) : (
                  <bdi>{describeRouter(router)}</bdi>
                )}
                <Unseen share={shareUnseen.get(router.id) ?? 0} />
              </small>
            </span>
            <span class="figure">{number(router.sessionCount)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Shows the share of connections that begin and end between two polls; nothing below 0.1 %. */
function Unseen({ share }: { share: number }) {
  return share < 0.001 ? null : (
    <span>
      {dot}
      {text.value.unseen(percent(share))}
    </span>
  );
}
