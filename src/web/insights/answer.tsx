// The answer of a model as plain text. Statements that are not in the facts sent are marked.
import type { ComponentChildren } from 'preact';
import { formatCost, formatTokens, type Provider, providerName } from '../ai/provider.ts';
import type { Reply } from '../api/client.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { dot, isolateName } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { words } from '../text/ai/words.ts';
import { number } from '../text/format.ts';
import { type Facts, periodLogHref } from './report.ts';

export type Citation = Reply<'POST /api/ai/analyze'>['citations'][number];

interface Props {
  text: string;
  citations: readonly Citation[];
  isCut?: boolean;
  /** The period, in epoch milliseconds. */
  from: number;
  to: number;
  /** Resolves a cited host name to its address. */
  destinations: Facts['topDestinations'];
}

export function AnswerText(props: Props) {
  const t = words.value;
  const { citations, isCut } = props;
  const bad = citations.filter(({ verified }) => !verified).length;
  const all = number(citations.length);
  return (
    <>
      <p class="answer" dir="auto">
        {markCitations(props)}
      </p>
      {isCut ? <p class="help">{t.truncated}</p> : null}
      <p class={bad > 0 ? 'state warn' : 'help'}>
        {bad > 0 ? <Icon name="warn" /> : null}
        {bad > 0
          ? t.unproven(bad, number(bad), all)
          : citations.length > 0
            ? t.allProven(citations.length, all)
            : t.nothingStated}
      </p>
    </>
  );
}

function markCitations({ text, citations, ...about }: Props): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let done = 0;
  for (const citation of citations.toSorted((one, another) => one.start - another.start)) {
    const { start, end, verified } = citation;
    if (start < done || end <= start || end > text.length) {
      continue;
    }
    const shown = text.slice(start, end);
    const to = verified ? citationLogHref(citation, about) : null;
    parts.push(
      text.slice(done, start),
      to ? (
        <Link key={start} to={to}>
          {shown}
        </Link>
      ) : verified ? (
        shown
      ) : (
        <mark key={start} class="unproven">
          {shown} <Icon name="warn" />
          <small>{words.value.notInFacts}</small>
        </mark>
      ),
    );
    done = end;
  }
  return [...parts, text.slice(done)];
}

const isOfNetwork = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|f[cd]|fe[89ab])/i;

/** The URL of the log of a cited address or host; null for other citations. */
function citationLogHref({ kind, text }: Citation, { from, to, destinations }: Omit<Props, 'text' | 'citations'>) {
  const address = kind === 'address' ? text : destinations.find(({ host }) => kind === 'host' && host === text)?.ip;
  const name = isOfNetwork.test(address ?? '') ? 'fSrc' : 'fDst';
  return address ? periodLogHref({ from, to, durationMs: 0 }, { [name]: address, [`${name}Mode`]: 'exact' }) : null;
}

interface Made {
  provider: Provider | null;
  model: string | null;
  at: number;
  input: number | null | undefined;
  output: number | null | undefined;
  cost: number | null | undefined;
}

export function MadeBy({ provider, model, at, input, output, cost }: Made) {
  return (
    <p class="help">
      {provider ? `${providerName(provider)}${dot}${isolateName(model ?? '')}${dot}` : ''}
      <Time at={at} />
      {dot}
      {formatTokens(input, output)}
      {dot}
      {formatCost(provider, cost)}
    </p>
  );
}
