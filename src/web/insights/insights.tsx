// A report of the period beside the one before, with how much was observed, and the views of
// the AI provider for users with the permission.
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { CopyText } from '../parts/copy.tsx';
import { Link } from '../parts/link.tsx';
import { NewHere } from '../parts/new-here.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { onEvent } from '../state/live.ts';
import { useLoaded } from '../state/loaded.ts';
import { range, ranges } from '../state/range.ts';
import { may } from '../state/session.ts';
import { useTitle } from '../state/title.ts';
import { hrefWith, query } from '../state/url.ts';
import { words as aiWords } from '../text/ai/words.ts';
import { words } from '../text/insights/words.ts';
import { text } from '../text/text.ts';
import { Ask } from './ask.tsx';
import { Comparison } from './comparison.tsx';
import { Destinations, Services } from './lists.tsx';
import { toPlainReport } from './plain.ts';
import { type Facts, reportSentences } from './report.ts';
import { Routers } from './routers.tsx';
import { Schedule } from './schedule.tsx';
import { Usage } from './usage.tsx';

const views = ['facts', 'ask', 'usage', 'schedule'] as const;
type ViewName = (typeof views)[number];

function mayShow(view: ViewName): boolean {
  return view === 'facts' || (view === 'schedule' ? may('settings.write') || may('audit.read') : may('ai.run'));
}

export function Insights() {
  const t = words.value;
  const { from, to } = range.value;
  if (to - from > ranges['14d']) {
    return (
      <Note title={t.tooLong}>
        <Link class="button" to={hrefWith({ range: '14d', from: null, to: null })}>
          {text.value.periodNames['14d']}
        </Link>
      </Note>
    );
  }
  return <Loaded from={from} to={to} />;
}

function Loaded({ from, to }: Pick<Facts['range'], 'from' | 'to'>) {
  const { value, error, reload, isStale } = useLoaded(`${from} ${to}`, (signal) =>
    Promise.all([
      ask('GET /api/ai/facts', { query: { from: String(from), to: String(to) } }, signal),
      ask('GET /api/connections/new-nodes', { query: { from: String(from), to: String(to - 1) } }, signal),
    ]),
  );
  const isEmpty = value?.[0].current.connections === 0;
  // An empty view is loaded again with the first connection, not only once a minute.
  useEffect(() => (isEmpty ? onEvent('connections-update', reload) : undefined), [isEmpty]);
  return (
    <>
      <Failure error={error} reload={reload} />
      {value ? <Report facts={value[0]} fresh={value[1]} isDimmed={isStale} /> : null}
    </>
  );
}

interface Props {
  facts: Facts;
  fresh: Reply<'GET /api/connections/new-nodes'>;
  isDimmed: boolean;
}

function Report(props: Props) {
  const { facts, isDimmed } = props;
  const report = useRef<HTMLDivElement>(null);
  const shown = views.filter(mayShow);
  const view = shown.find((one) => one === query.value.get('view')) ?? 'facts';
  useTitle(view === 'facts' ? null : aiWords.value.views[view]);
  return (
    <>
      <div class="insights" ref={report}>
        <header class={`sentence ${isDimmed ? 'dimmed' : ''}`} aria-busy={isDimmed}>
          {reportSentences(facts).map((sentence, index) =>
            index === 0 ? <h1 key="first">{sentence}</h1> : <p key={sentence}>{sentence}</p>,
          )}
        </header>
        {shown.length > 1 ? <Views shown={shown} view={view} /> : null}
        {view === 'facts' ? <FactCards {...props} /> : null}
      </div>
      {view === 'facts' ? <Foot report={report} /> : null}
      <div class="section asking">
        {view === 'ask' ? <Ask facts={facts} /> : null}
        {view === 'usage' ? <Usage /> : null}
        {view === 'schedule' ? <Schedule facts={facts} /> : null}
      </div>
    </>
  );
}

function Views({ shown, view }: { shown: readonly ViewName[]; view: ViewName }) {
  const t = aiWords.value.views;
  return (
    <nav class="sections views" aria-label={text.value.places.insights}>
      {shown.map((one) => (
        <Link
          key={one}
          to={hrefWith({ view: one === 'facts' ? null : one, conversation: null })}
          aria-current={one === view ? 'page' : undefined}
        >
          {t[one]}
        </Link>
      ))}
    </nav>
  );
}

function FactCards({ facts, fresh, isDimmed }: Props) {
  return (
    <>
      <Comparison facts={facts} isDimmed={isDimmed} />
      <Routers collection={facts.collection} />
      <Services facts={facts} isDimmed={isDimmed} />
      <Destinations facts={facts} isDimmed={isDimmed} />
      <NewHere fresh={fresh} isDimmed={isDimmed} />
    </>
  );
}

function Foot({ report }: { report: RefObject<HTMLDivElement | null> }) {
  return (
    <>
      <CopyText label={words.value.copy} source={report} toText={toPlainReport} />
      {may('ai.run') ? (
        <p class="copy-report">
          <Link class="button" to={hrefWith({ view: 'ask' })}>
            {aiWords.value.explain}
          </Link>
        </p>
      ) : null}
      <p class="empty">
        {words.value.stays} {may('ai.run') ? '' : aiWords.value.mayNot}
      </p>
    </>
  );
}
