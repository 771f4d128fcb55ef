// Shown while there is no router and no connection: how to add the first router.
import { Link } from '../parts/link.tsx';
import { may } from '../state/session.ts';
import { hrefTo } from '../state/url.ts';
import { text } from '../text/text.ts';
import { Checklist, type Steps } from './checklist.tsx';

export function FirstStart({ steps }: { steps: Steps }) {
  const t = text.value.firstStart;
  return (
    <section class="first-start">
      <h1>{t.title}</h1>
      <p>{t.help}</p>
      {may('settings.write') ? (
        <Link class="button main" to={hrefTo('settings', { section: 'routers', add: '1' })}>
          {t.add}
        </Link>
      ) : (
        <p>{t.reader}</p>
      )}
      <p class="empty">{t.waiting}</p>
      <Checklist steps={steps} />
    </section>
  );
}
