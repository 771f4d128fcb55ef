// The API reference: operations by group, searchable. The URL names the open one.
import { useEffect, useRef } from 'preact/hooks';
import { apiUrl } from '../api/client.ts';
import { Link } from '../parts/link.tsx';
import { Failure } from '../parts/note.tsx';
import { useAsked } from '../state/loaded.ts';
import { focusUnlessInMenu } from '../state/open-focus.ts';
import { hrefWith, navigate, query } from '../state/url.ts';
import { number } from '../text/format.ts';
import { words } from '../text/reference/words.ts';
import { text } from '../text/text.ts';
import {
  type ApiDocument,
  credentialName,
  listOperations,
  matches,
  type PlacedOperation,
  type Scheme,
} from './document.ts';
import { OperationDetail } from './operation.tsx';

export function Reference() {
  const { value, error, reload } = useAsked('GET /api/openapi.json', {});
  if (value === null) {
    return error ? <Failure error={error} reload={reload} /> : <p class="note">{text.value.loading}</p>;
  }
  return <Shown document={value as unknown as ApiDocument} />;
}

function Shown({ document: { info, tags, components, ...rest } }: { document: ApiDocument }) {
  const t = words.value;
  const wanted = query.value.get('q') ?? '';
  const op = query.value.get('op');
  const isFull = query.value.get('view') === 'full';
  const all = listOperations({ info, tags, components, ...rest });
  const found = all.filter((one) => matches(one, wanted.trim()));
  const shown = all.filter((one) => found.includes(one) || one.operationId === op);
  const schemes = components.securitySchemes;
  return (
    <div class="reference">
      <h1>{text.value.places.docs}</h1>
      <p lang="en">{info.description}</p>
      <div class="tools">
        <label>
          {t.search}
          <input
            type="search"
            value={wanted}
            onInput={({ currentTarget }) => navigate(hrefWith({ q: currentTarget.value, op: null }), 'replace')}
          />
        </label>
        <p role="status">{found.length === 0 ? t.none : t.found(found.length, number(found.length))}</p>
        <Link to={hrefWith({ view: isFull ? null : 'full' })}>{isFull ? t.listOnly : t.inFull}</Link>
        <a href={apiUrl('/api/openapi.json').href}>{t.file}</a>
      </div>
      {op !== null && !all.some(({ operationId }) => operationId === op) ? <p class="problem">{t.noSuch}</p> : null}
      <details>
        <summary>{t.credentials}</summary>
        <dl class="facts">
          {Object.entries(schemes).map(([name, scheme]) => (
            <div key={name}>
              <dt>
                <code>{credentialName(scheme)}</code>
              </dt>
              <dd lang="en">{scheme.description}</dd>
            </div>
          ))}
        </dl>
      </details>
      {tags.map(({ name, description }) => {
        const operations = shown.filter((one) => one.tags.includes(name));
        return operations.length === 0 ? null : (
          <section key={name} aria-labelledby={`group-${name}`}>
            <h2 id={`group-${name}`}>{name}</h2>
            <p lang="en">{description}</p>
            {operations.map((one) => (
              <Entry
                key={one.operationId}
                operation={one}
                schemes={schemes}
                isNamed={one.operationId === op}
                isOpen={isFull || one.operationId === op}
              />
            ))}
          </section>
        );
      })}
    </div>
  );
}

interface EntryProps {
  operation: PlacedOperation;
  schemes: Readonly<Record<string, Scheme>>;
  /** The URL names it. */
  isNamed: boolean;
  isOpen: boolean;
}

function Entry({ operation, schemes, isNamed, isOpen }: EntryProps) {
  const { operationId, method, path, summary } = operation;
  const entry = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isNamed) {
      entry.current?.scrollIntoView();
      focusUnlessInMenu(entry.current?.querySelector('a'), { preventScroll: true });
    }
  }, [isNamed]);
  return (
    <article ref={entry} class="card entry" aria-label={`${method} ${path}`}>
      <h3>
        <Link to={hrefWith({ op: isNamed ? null : operationId })} aria-current={isNamed ? 'true' : undefined}>
          <span class="method">{method}</span> <code>{path}</code>
        </Link>
      </h3>
      <p lang="en">{summary}</p>
      {isOpen ? <OperationDetail operation={operation} schemes={schemes} /> : null}
    </article>
  );
}
