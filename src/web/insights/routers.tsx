// The routers behind the report, and their states.
import { Card } from '../parts/card.tsx';
import { NoRows } from '../parts/no-rows.tsx';
import { number, when } from '../text/format.ts';
import { words } from '../text/insights/words.ts';
import { text } from '../text/text.ts';
import type { Facts } from './report.ts';

export function Routers({ collection: { routers } }: Pick<Facts, 'collection'>) {
  const t = text.value;
  return (
    <Card title={t.collection}>
      {routers.length === 0 ? <NoRows title={t.noRouters} help={t.noRoutersHelp} /> : null}
      <ul class="rows">
        {routers.map((router) => (
          <li key={router.id} class={router.ready || !router.enabled ? '' : 'warn'}>
            <span>
              <bdi>{router.displayName}</bdi> <small>{describeRouter(router)}</small>
            </span>
            <span class="figure">{router.ready ? number(router.sessionCount) : null}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function describeRouter({ enabled, ready, lastSuccessAt }: Facts['collection']['routers'][number]): string {
  const t = words.value;
  const last = lastSuccessAt === null ? text.value.neverPolled : text.value.polled(when(lastSuccessAt));
  return !enabled ? t.isOff : ready || lastSuccessAt === null ? last : `${t.notNow}, ${last}`;
}
