// Why a place is empty and what to do next: without a router, adding one comes first.
import { useRouters } from '../state/routers.ts';
import { may } from '../state/session.ts';
import { hrefTo } from '../state/url.ts';
import { text } from '../text/text.ts';
import { Link } from './link.tsx';
import { Note } from './note.tsx';

/** `title` and `help` are shown when there is a router. */
export function NoRows({ title, help }: { title: string; help: string }) {
  const t = text.value;
  const { value: routers, error } = useRouters();
  if (routers === null && error === null) {
    return null;
  }
  if (routers?.length !== 0) {
    return <Note title={title} help={help} />;
  }
  return (
    <Note title={t.noRouters} help={may('settings.write') ? t.noRoutersHelp : t.firstStart.reader}>
      {may('settings.write') ? (
        <Link class="button main" to={hrefTo('settings', { section: 'routers', add: '1' })}>
          {t.firstStart.add}
        </Link>
      ) : null}
    </Note>
  );
}
