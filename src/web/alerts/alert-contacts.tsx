// Which programs contacted the destination of an alert, which routers saw it, and since when lists name it.
import type { Reply } from '../api/client.ts';
import { Fact, TimeFact } from '../parts/fact.tsx';
import { isolateName } from '../parts/outside.ts';
import { words } from '../text/alerts/words.ts';
import { joinWords } from '../text/format.ts';
import { text } from '../text/text.ts';

export function AlertContacts({ detail }: { detail: Reply<'GET /api/alerts/:id'> }) {
  const t = words.value;
  const { programs, routers, listedSince } = detail;
  const feeds: Readonly<Record<string, string>> = text.value.feeds;
  return (
    <dl>
      {programs.length === 0 ? null : <Fact name={t.programs}>{joinWords(programs.map(isolateName))}</Fact>}
      {routers.length === 0 ? null : (
        <Fact name={t.routers}>{joinWords(routers.map(({ id, name }) => isolateName(name ?? id)))}</Fact>
      )}
      {listedSince.map(({ list, at }) => (
        <TimeFact key={list} name={t.listedSince(feeds[list] ?? list)} at={at} />
      ))}
    </dl>
  );
}
