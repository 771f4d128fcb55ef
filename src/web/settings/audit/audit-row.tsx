// One event. The link of a pseudonym finds all events that have it.
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefWith } from '../../state/url.ts';
import { words } from '../../text/settings/words.ts';
import type { AuditEvent } from './events.ts';

export function AuditRow({ event }: { event: AuditEvent }) {
  const t = words.value.audit;
  const { createdAt, eventType, outcome, authMethod, httpMethod, path, metadata } = event;
  const names: Readonly<Record<string, string>> = t.types;
  return (
    <li>
      <h3>{names[eventType] ?? eventType}</h3>
      <p class={outcome === 'failure' ? 'state warn' : 'state'}>
        {outcome === 'failure' ? <Icon name="warn" /> : null}
        <strong>{t.outcomes[outcome]}</strong>
        <Time at={createdAt} />
        {authMethod === null ? null : <span>{t.methods[authMethod]}</span>}
      </p>
      {path === null ? null : (
        <p class="help">
          <bdi>{`${httpMethod ?? ''} ${path}`}</bdi>
        </p>
      )}
      <Pseudonyms event={event} />
      {metadata === null ? null : (
        <p class="help">
          <bdi>{Object.entries(metadata).map(describeEntry).join(', ')}</bdi>
        </p>
      )}
    </li>
  );
}

function Pseudonyms({ event }: { event: AuditEvent }) {
  const t = words.value.audit;
  const shown = [
    { name: t.actor, value: event.actorHash },
    { name: t.client, value: event.clientIpHash },
    { name: t.request, value: event.requestId },
  ];
  return (
    <p class="state help">
      {shown.map(({ name, value }) =>
        value === null ? null : (
          <span key={name}>
            {name} <Link to={hrefWith({ q: value, type: null, outcome: null })}>{value}</Link>
          </span>
        ),
      )}
    </p>
  );
}

function describeEntry([name, value]: [string, unknown]): string {
  return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}
