// The two documents that Agents fetch: places of known addresses, and threat indicators. Each is serialised once and
// cached. Its entity tag depends on the content, not on the time of generation (RFC 9110 §8.8.3).
import type { GeoDocument, ThreatDocument } from '#contract/agent-ingest.ts';
import { isTagListed } from '#kernel/http/entity-tag.ts';
import { type ReadyJson, readyJson } from '#kernel/http/ready-body.ts';
import { reply, type StatusReply } from '#kernel/http/route.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { elapsed, isoTime, yieldToEventLoop } from '#kernel/time/clock.ts';
import { shareWork } from '#kernel/time/shared-work.ts';
import type { Base } from '../../base/feature.ts';
import type { Indicator } from '../../identify/threat/indicator.ts';
import type { ThreatState } from '../../identify/threat/threat.ts';

export interface Documents {
  geo(ifNoneMatch: string | undefined, signal: AbortSignal): Promise<Answer<GeoDocument>>;
  threats(ifNoneMatch: string | undefined, signal: AbortSignal): Promise<Answer<ThreatDocument>>;
}

/** Status 304 when `If-None-Match` lists the tag of the document. */
type Answer<D> = ReadyJson<D> | StatusReply<304, null>;

type ThreatListsState = Pick<ThreatState, 'available' | 'version' | 'fetchedAt'>;

interface DocumentsOptions extends Pick<Base, 'clock' | 'readers'> {
  threat: { state(): ThreatListsState; indicators(): Iterable<Indicator> };
}

interface CachedDocument {
  bytes: Uint8Array;
  tag: string;
}

/** How long the places are answered from memory: each poll of a router may add destinations. */
const geoCacheMs = 60_000;
/** Rows between two yields to the event loop: there may be 500,000 indicators. */
const stepRows = 2000;

export function createDocuments({ clock, readers, threat }: DocumentsOptions): Documents {
  let geo: (CachedDocument & { readAt: number }) | null = null;
  let threats: (CachedDocument & { key: string }) | null = null;

  const readGeo = shareWork(async () => {
    const neverAborted = new AbortController().signal;
    const { bytes } = await readers.reads.ask('agentPlaces', undefined, neverAborted);
    const tag = toEntityTag(bytes);
    const readAt = clock.now();
    if (geo?.tag === tag) {
      geo = { ...geo, readAt };
    } else {
      geo = { bytes: withHead({ schemaVersion: 1, generatedAt: isoTime(readAt) }, [bytes.subarray(1)]), tag, readAt };
    }
    return geo;
  });
  const buildThreats = shareWork(async () => {
    const { available, version, fetchedAt } = threat.state();
    const lists = { ip: [] as string[], domain: [] as string[], cidr: [] as string[] };
    if (available) {
      await collectRows(threat.indicators(), lists);
    }
    const member = (name: string, rows: readonly string[]) => `"${name}":[${rows.join(',')}]`;
    const body = [member('ips', lists.ip), member('domains', lists.domain), member('cidrs', lists.cidr)].join(',');
    const origin = { available, fetchedAt: available && fetchedAt !== null ? isoTime(fetchedAt) : null };
    const head = { schemaVersion: 1, generatedAt: isoTime(clock.now()), ...origin };
    const bytes = withHead(head, [Buffer.from(`${body}}`)]);
    threats = {
      bytes,
      tag: toEntityTag(Buffer.from(JSON.stringify(origin) + body)),
      key: toCacheKey({ available, version, fetchedAt }),
    };
    return threats;
  });

  return {
    async geo(ifNoneMatch, signal) {
      const isFresh = geo !== null && elapsed(geo.readAt, clock.now()) < geoCacheMs;
      return toAnswer(geo !== null && isFresh ? geo : await readGeo(signal), ifNoneMatch);
    },
    async threats(ifNoneMatch, signal) {
      const isFresh = threats !== null && threats.key === toCacheKey(threat.state());
      return toAnswer(threats !== null && isFresh ? threats : await buildThreats(signal), ifNoneMatch);
    },
  };
}

function toCacheKey({ available, version, fetchedAt }: ThreatListsState): string {
  return `${available} ${version} ${fetchedAt}`;
}

/** Adds to `lists` one JSON row for each value and feed, with its highest confidence. */
async function collectRows(indicators: Iterable<Indicator>, lists: Record<'ip' | 'domain' | 'cidr', string[]>) {
  const rows = new Map<string, Indicator>();
  let count = 0;
  const pause = async () => {
    count += 1;
    if (count % stepRows === 0) {
      await yieldToEventLoop();
    }
  };
  for (const one of indicators) {
    const key = `${one.value} ${one.feed}`;
    const known = rows.get(key);
    if (!known || one.exact > known.exact) {
      rows.set(key, one);
    }
    await pause();
  }
  for (const { kind, value, feed, tag, exact } of rows.values()) {
    lists[kind].push(JSON.stringify([value, feed, tag === '' ? null : tag, exact === 2 ? 'high' : 'low']));
    await pause();
  }
}

function toEntityTag(content: Uint8Array): string {
  return `W/"${sha256(content).slice(0, 32)}"`;
}

/** Returns a JSON object of the members of `head` and those in `rest`, which ends with the closing brace. */
function withHead(head: Record<string, unknown>, rest: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head).slice(0, -1)},`), ...rest]);
}

function toAnswer<D>({ bytes, tag }: CachedDocument, ifNoneMatch: string | undefined): Answer<D> {
  const headers = { ETag: tag };
  return isTagListed(tag, ifNoneMatch) ? reply(304, null, { headers }) : readyJson(bytes, headers);
}
