// A report that a person can hand on: what this hub knows of a period and the one before, and how far it knows it.
import { useEffect, useRef } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { Link } from '../parts/link.tsx';
import { NewHere } from '../parts/new-here.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { onEvent } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { range, ranges } from '../state/range.ts';
import { withParameters } from '../state/url.ts';
import { words } from '../text/insights/words.ts';
import { text } from '../text/text.ts';
import { Comparison } from './comparison.tsx';
import { CopyReport } from './copy-report.tsx';
import { Destinations, Services } from './lists.tsx';
import { type Facts, sentencesOf } from './report.ts';
import { Routers } from './routers.tsx';

export function Insights() {
  const t = words.value;
  const { from, to } = range.value;
  if (to - from > ranges['14d']) {
    return (
      <Note title={t.tooLong}>
        <Link class="button" to={withParameters({ range: '14d', from: null, to: null })}>
          {text.value.periodNames['14d']}
        </Link>
      </Note>
    );
  }
  return <Loaded from={from} to={to} />;
}

function Loaded({ from, to }: Pick<Facts['range'], 'from' | 'to'>) {
  const { value, error, again, isLoading } = useLoaded(`${from} ${to}`, (signal) =>
    Promise.all([
      ask('GET /api/ai/facts', { query: { from: String(from), to: String(to) } }, signal),
      ask('GET /api/connections/new-nodes', { query: { from: String(from), to: String(to - 1) } }, signal),
    ]),
  );
  const isEmpty = value?.[0].current.connections === 0;
  // The first rows appear when they come, not with the next minute.
  useEffect(() => (isEmpty ? onEvent('connections-update', again) : undefined), [isEmpty]);
  return (
    <>
      {error ? <Failure error={error} again={again} /> : null}
      {value ? <Report facts={value[0]} fresh={value[1]} isDimmed={isLoading} /> : null}
    </>
  );
}

interface Props {
  facts: Facts;
  fresh: Reply<'GET /api/connections/new-nodes'>;
  isDimmed: boolean;
}

function Report({ facts, fresh, isDimmed }: Props) {
  const report = useRef<HTMLDivElement>(null);
  return (
    <>
      <div class="insights" ref={report}>
        <header class={`sentence ${isDimmed ? 'dimmed' : ''}`} aria-busy={isDimmed}>
          {sentencesOf(facts).map((sentence, index) =>
            index === 0 ? <h1 key="first">{sentence}</h1> : <p key={sentence}>{sentence}</p>,
          )}
        </header>
        <Comparison facts={facts} isDimmed={isDimmed} />
        <Routers collection={facts.collection} />
        <Services facts={facts} isDimmed={isDimmed} />
        <Destinations facts={facts} isDimmed={isDimmed} />
        <NewHere fresh={fresh} isDimmed={isDimmed} />
      </div>
      <CopyReport report={report} />
      <p class="empty">{words.value.stays}</p>
    </>
  );
}
