// Saves the events that match as a file.
import { useEffect, useRef, useState } from 'preact/hooks';
import { toCsv } from '../../parts/csv.ts';
import { ActionButton, Outcome } from '../../parts/outcome.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useAction } from '../../state/action.ts';
import { exact, number } from '../../text/format.ts';
import { words } from '../../text/settings/words.ts';
import { type AuditEvent, type AuditFilter, readEvents } from './events.ts';

/** The browser holds the whole file in memory. */
const mostEvents = 50_000;

const columns = [
  'createdAt',
  'eventType',
  'outcome',
  'authMethod',
  'actorHash',
  'principalHash',
  'clientIpHash',
  'httpMethod',
  'path',
  'requestId',
  'metadata',
] as const;

interface Format {
  name: string;
  extension: string;
  mediaType: string;
  write: (events: readonly AuditEvent[]) => string;
}

const formats: readonly Format[] = [
  {
    name: 'CSV',
    extension: 'csv',
    mediaType: 'text/csv',
    write: (events) => toCsv(columns, events.map(listCells)),
  },
  {
    name: 'NDJSON',
    extension: 'ndjson',
    mediaType: 'application/x-ndjson',
    write: (events) => events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  },
];

export function ExportAudit({ filter }: { filter: AuditFilter }) {
  const t = words.value.audit;
  const action = useAction();
  const [saved, setSaved] = useState('');
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  // The old outcome belongs to other filters.
  useEffect(action.reset, [JSON.stringify(filter)]);
  const save = async ({ extension, mediaType, write }: Format) => {
    const { events, hasMore } = await readEvents(filter, mostEvents, stop.current.signal);
    saveFile(new Blob([write(events)], { type: `${mediaType};charset=utf-8` }), `audit-trail.${extension}`);
    const count = number(events.length);
    setSaved(hasMore ? t.savedPart(count) : t.saved(events.length, count));
  };
  return (
    <>
      <fieldset class="actions">
        <legend class="spoken">{t.export}</legend>
        {formats.map((format) => (
          <ActionButton key={format.name} action={action} work={() => save(format)} label={t.exportAs(format.name)} />
        ))}
      </fieldset>
      <Outcome action={action} done={saved} />
    </>
  );
}

function listCells(event: AuditEvent): unknown[] {
  const metadata = event.metadata === null ? null : JSON.stringify(event.metadata);
  const cells: Record<string, unknown> = { ...event, createdAt: exact(event.createdAt), metadata };
  return columns.map((name) => cells[name]);
}
