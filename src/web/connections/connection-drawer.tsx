// The details of one connection, with the source of each fact.
import { useRef } from 'preact/hooks';
import type { Reply } from '../api/client.ts';
import { CopyText } from '../parts/copy.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { Evidence } from '../parts/evidence.tsx';
import { Fact, TimeFact } from '../parts/fact.tsx';
import { Level } from '../parts/level.tsx';
import { Link } from '../parts/link.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { isolateName, joinWithDots } from '../parts/outside.ts';
import { useAsked } from '../state/loaded.ts';
import { deviceHref, exactLogHref, mapHref } from '../state/range.ts';
import { closeOver } from '../state/url.ts';
import { clockTime, country, dateTime, dayMs, joinWords, maker } from '../text/format.ts';
import { describePath } from '../text/hub/words.ts';
import { words } from '../text/log/words.ts';
import { text } from '../text/text.ts';
import { DeviceNote } from './device-note.tsx';
import { addFilter, type FilterColumn, filters, hrefWithFilters } from './filters.ts';
import { Hours } from './hours.tsx';
import { LookUp } from './look-up.tsx';
import { OnlyOrNot } from './only-or-not.tsx';

type Detail = Reply<'GET /api/connections/:id'>;
type Span = NonNullable<Detail['uncertainty']>['firstSeen'];

export function ConnectionDrawer({ id }: { id: string }) {
  const t = text.value.detail;
  const { value, error, reload } = useAsked('GET /api/connections/:id', { params: { id } });
  return (
    <Drawer label={t.label} close={() => closeOver('open')}>
      {error?.status === 404 ? <Note title={t.gone} /> : error ? <Failure error={error} reload={reload} /> : null}
      {value ? <Facts detail={value} /> : null}
    </Drawer>
  );
}

function Facts({ detail }: { detail: Detail }) {
  const t = text.value.detail;
  const facts = useRef<HTMLDListElement>(null);
  const { connection, threatEvidence, uncertainty, device, observers, path, origins } = detail;
  const { src, dst, dport, proto, dstHost, org, country: code, process, firstSeen, lastSeen, threatLevel } = connection;
  const describeOrigin = (field: Detail['origins'][number]['field']) => {
    const found = origins.find((one) => one.field === field);
    return found && joinWithDots([t.from[found.from], found.name, found.version]);
  };
  return (
    <>
      <Level level={threatLevel} />
      <h2>
        <Link to={deviceHref(device?.deviceId ?? src)}>{device?.name ?? src}</Link> → <bdi>{dstHost ?? dst}</bdi>
        {dport === 0 ? '' : `:${dport}`}
      </h2>
      {threatEvidence ? <Evidence evidence={threatEvidence} dport={dport} /> : null}
      <Hours detail={detail} />
      <dl ref={facts}>
        <TimeFact name={text.value.columns.firstSeen} at={firstSeen} source={describeSpan(uncertainty?.firstSeen)} />
        <TimeFact name={text.value.columns.lastSeen} at={lastSeen} source={describeSpan(uncertainty?.lastSeen)} />
        <FilterFact
          name={t.device}
          source={joinWithDots([src, device?.mac, device && maker(device.vendor)])}
          column="fSrc"
          value={src}
          shown={device?.name ?? src}
        />
        <DeviceNote device={device} />
        <FilterFact name={t.destination} column="fDst" value={dst} />
        {dport === 0 ? null : <FilterFact name={text.value.columns.dport} column="fDport" value={String(dport)} />}
        <FilterFact name={text.value.columns.proto} column="fProto" value={proto} />
        <FilterFact name={t.host} source={describeOrigin('dstHost')} column="fDst" value={dstHost} />
        <FilterFact
          name={t.organisation}
          source={describeOrigin('org')}
          column="fOrg"
          value={org}
          to={org === null ? null : mapHref({ target: org })}
        />
        <FilterFact
          name={t.country}
          source={describeOrigin('country')}
          column="fCountry"
          value={code}
          shown={code === null ? undefined : country(code)}
          to={code === null ? null : mapHref({ country: code })}
        />
        {process === null ? null : <FilterFact name={t.process} column="fProcess" value={process} />}
        <Fact name={t.observers} source={describePath(path)}>
          {joinWords(observers.map(({ id, name }) => isolateName(name ?? id)))}
        </Fact>
      </dl>
      <p class="actions">
        <Link class="button main" to={exactLogHref({ fSrc: src })}>
          {t.ofDevice}
        </Link>
        <Link class="button" to={exactLogHref({ fDst: dst })}>
          {t.onlyDestination}
        </Link>
        <Link
          class="button"
          to={hrefWithFilters(addFilter(filters.value, { name: 'fDst', mode: 'isNot', values: [dst] }))}
        >
          {words.value.notDestination}
        </Link>
      </p>
      <CopyText label={t.copy} source={facts} toText={() => JSON.stringify(connection, null, 2)} />
      <LookUp address={dst} />
    </>
  );
}

interface FilterFactProps {
  name: string;
  source?: string | undefined;
  column: FilterColumn;
  /** The value to filter by; null when unknown. */
  value: string | null;
  /** The text that is shown instead of `value`. */
  shown?: string | undefined;
  /** The URL that the text links to; no link when null. */
  to?: string | null;
}

/** A fact with links that filter the log by its value. */
function FilterFact({ name, source, column, value, shown, to = null }: FilterFactProps) {
  const label = shown ?? value ?? text.value.detail.unknown;
  return (
    <Fact name={name} source={source}>
      {to === null ? <bdi>{label}</bdi> : <Link to={to}>{label}</Link>}
      <OnlyOrNot column={column} value={value} />
    </Fact>
  );
}

/** Describes between which times the first or last packet was, and how that is known. */
function describeSpan(span: Span | undefined): string | undefined {
  if (span === undefined) {
    return undefined;
  }
  const t = text.value.detail;
  const { notBefore, notAfter } = span;
  const by = t.by[span.from];
  if (notBefore !== null && notAfter !== null) {
    const format = notAfter - notBefore < dayMs ? clockTime : dateTime;
    return t.between(format(notBefore), format(notAfter), by);
  }
  if (notAfter !== null) {
    return t.notAfter(dateTime(notAfter), by);
  }
  return notBefore === null ? t.unknownEnd(by) : t.openEnd(dateTime(notBefore), by);
}
