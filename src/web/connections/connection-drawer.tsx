// One connection with all that is known of it, and where each fact comes from.
import { useState } from 'preact/hooks';
import { ask, type Reply } from '../api/client.ts';
import { Drawer } from '../parts/drawer.tsx';
import { Evidence } from '../parts/evidence.tsx';
import { Fact } from '../parts/fact.tsx';
import { Level } from '../parts/level.tsx';
import { Link } from '../parts/link.tsx';
import { Failure, Note } from '../parts/note.tsx';
import { isolateName, joinWithDots } from '../parts/outside.ts';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../state/loaded.ts';
import { rangeParameters } from '../state/range.ts';
import { hrefTo, hrefWith, navigate } from '../state/url.ts';
import { clockTime, country, dateTime } from '../text/format.ts';
import { words } from '../text/log/words.ts';
import { text } from '../text/text.ts';
import { DeviceNote } from './device-note.tsx';
import { addFilter, filters, hrefWithFilters } from './filters.ts';
import { Hours } from './hours.tsx';
import { LookUp } from './look-up.tsx';
import { OnlyOrNot } from './only-or-not.tsx';

type Detail = Reply<'GET /api/connections/:id'>;
type Span = NonNullable<Detail['uncertainty']>['firstSeen'];

export function ConnectionDrawer({ id }: { id: string }) {
  const t = text.value.detail;
  const { value, error, again } = useLoaded(id, (signal) =>
    ask('GET /api/connections/:id', { params: { id } }, signal),
  );
  return (
    <Drawer label={t.label} close={() => navigate(hrefWith({ open: null }), 'replace')}>
      {error?.status === 404 ? <Note title={t.gone} /> : error ? <Failure error={error} again={again} /> : null}
      {value ? <Facts detail={value} /> : null}
    </Drawer>
  );
}

function Facts({ detail }: { detail: Detail }) {
  const t = text.value.detail;
  const { connection, threatEvidence, uncertainty, device, observers, path, origins } = detail;
  const { src, dst, dport, proto, dstHost, org, country: code, process, firstSeen, lastSeen, threatLevel } = connection;
  const originOf = (field: Detail['origins'][number]['field']) => {
    const found = origins.find((one) => one.field === field);
    return found && joinWithDots([t.from[found.from], found.name, found.version]);
  };
  return (
    <>
      <Level level={threatLevel} />
      <h2>
        <bdi>{device?.name ?? src}</bdi> → <bdi>{dstHost ?? dst}</bdi>:{dport}
      </h2>
      {threatEvidence ? <Evidence evidence={threatEvidence} /> : null}
      <Hours detail={detail} />
      <dl>
        <Fact name={text.value.columns.firstSeen} from={describeSpan(uncertainty?.firstSeen)}>
          <Time at={firstSeen} />
        </Fact>
        <Fact name={text.value.columns.lastSeen} from={describeSpan(uncertainty?.lastSeen)}>
          <Time at={lastSeen} />
        </Fact>
        <Fact name={t.device} from={joinWithDots([src, device?.mac, device?.vendor])}>
          <bdi>{device?.name ?? src}</bdi>
          <OnlyOrNot column="fSrc" value={src} />
        </Fact>
        <DeviceNote device={device} />
        <Fact name={t.destination}>
          {dst}
          <OnlyOrNot column="fDst" value={dst} />
        </Fact>
        <Fact name={text.value.columns.dport}>
          {dport}
          <OnlyOrNot column="fDport" value={String(dport)} />
        </Fact>
        <Fact name={text.value.columns.proto}>
          {proto}
          <OnlyOrNot column="fProto" value={proto} />
        </Fact>
        <Fact name={t.host} from={originOf('dstHost')}>
          <bdi>{dstHost ?? t.unknown}</bdi>
          <OnlyOrNot column="fDst" value={dstHost} />
        </Fact>
        <Fact name={t.organisation} from={originOf('org')}>
          <bdi>{org ?? t.unknown}</bdi>
          <OnlyOrNot column="fOrg" value={org} />
        </Fact>
        <Fact name={t.country} from={originOf('country')}>
          {code === null ? t.unknown : country(code)}
          <OnlyOrNot column="fCountry" value={code} />
        </Fact>
        {process === null ? null : <Fact name={t.process}>{process}</Fact>}
        <Fact name={t.observers} from={path.message}>
          {observers.map(({ id, name }) => isolateName(name ?? id)).join(', ')}
        </Fact>
      </dl>
      <p class="actions">
        <Link
          class="button main"
          to={hrefTo('connections', { ...rangeParameters.value, fSrc: src, fSrcMode: 'exact' })}
        >
          {t.ofDevice}
        </Link>
        <Link class="button" to={hrefTo('connections', { ...rangeParameters.value, fDst: dst, fDstMode: 'exact' })}>
          {t.onlyDestination}
        </Link>
        <Link
          class="button"
          to={hrefWithFilters(addFilter(filters.value, { name: 'fDst', mode: 'isNot', values: [dst] }))}
        >
          {words.value.notDestination}
        </Link>
        <Copy value={JSON.stringify(connection, null, 2)} />
      </p>
      <LookUp address={dst} />
    </>
  );
}

/** Between which instants a packet was, and what says so. */
function describeSpan(span: Span | undefined): string | undefined {
  if (span === undefined) {
    return undefined;
  }
  const t = text.value.detail;
  const { notBefore, notAfter } = span;
  const by = t.by[span.from];
  const shown = (at: number) =>
    notBefore !== null && notAfter !== null && notAfter - notBefore < 86_400_000 ? clockTime(at) : dateTime(at);
  if (notBefore !== null && notAfter !== null) {
    return t.between(shown(notBefore), shown(notAfter), by);
  }
  if (notAfter !== null) {
    return t.notAfter(dateTime(notAfter), by);
  }
  return notBefore === null ? t.unknownEnd(by) : t.openEnd(dateTime(notBefore), by);
}

function Copy({ value }: { value: string }) {
  const t = text.value.detail;
  const [isCopied, setCopied] = useState(false);
  return (
    <button type="button" onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}>
      {isCopied ? t.copied : t.copy}
    </button>
  );
}
