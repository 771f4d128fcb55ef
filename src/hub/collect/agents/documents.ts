// The documents that Agents fetch: every known place, every threat indicator. Serialised once and cached; the tag says
// which content it is, not when it was made (RFC 9110 §8.8.3).
import type { GeoDocument, ThreatDocument } from '#contract/agent-ingest.ts';
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

type Answer<D> = ReadyJson<D> | StatusReply<304, null>;

interface Options extends Pick<Base, 'clock' | 'readers'> {
  threat: { state(): Pick<ThreatState, 'available' | 'version' | 'fetchedAt'>; indicators(): Iterable<Indicator> };
}

interface Document {
  bytes: Uint8Array;
  tag: string;
}

/** How long the document of coordinates is answered from memory: each poll of a router may add destinations. */
const geoCacheMs = 60_000;
const stepRows = 2000;

export function createDocuments({ clock, readers, threat }: Options): Documents {
  let geo: (Document & { readAt: number }) | null = null;
  let threats: (Document & { key: string }) | null = null;

  const readGeo = shareWork(async () => {
    const whenever = new AbortController().signal;
    const { bytes } = await readers.reads.ask('agentPlaces', undefined, whenever);
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
      await collect(threat.indicators(), lists);
    }
    const list = (name: string, rows: readonly string[]) => `"${name}":[${rows.join(',')}]`;
    const body = [list('ips', lists.ip), list('domains', lists.domain), list('cidrs', lists.cidr)].join(',');
    const about = { available, fetchedAt: available && fetchedAt !== null ? isoTime(fetchedAt) : null };
    const head = { schemaVersion: 1, generatedAt: isoTime(clock.now()), ...about };
    const bytes = withHead(head, [Buffer.from(`${body}}`)]);
    threats = {
      bytes,
      tag: toEntityTag(Buffer.from(JSON.stringify(about) + body)),
      key: toCacheKey({ available, version, fetchedAt }),
    };
    return threats;
  });

  return {
    async geo(ifNoneMatch, signal) {
      const isFresh = geo !== null && elapsed(geo.readAt, clock.now()) < geoCacheMs;
      return answer(geo !== null && isFresh ? geo : await readGeo(signal), ifNoneMatch);
    },
    async threats(ifNoneMatch, signal) {
      const isFresh = threats !== null && threats.key === toCacheKey(threat.state());
      return answer(threats !== null && isFresh ? threats : await buildThreats(signal), ifNoneMatch);
    },
  };
}

function toCacheKey({
  available,
  version,
  fetchedAt,
}: Pick<ThreatState, 'available' | 'version' | 'fetchedAt'>): string {
  return `${available} ${version} ${fetchedAt}`;
}

/** One row for each value and feed, with its highest confidence; cooperatively, since there may be 500,000. */
async function collect(indicators: Iterable<Indicator>, lists: Record<'ip' | 'domain' | 'cidr', string[]>) {
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

/** A weak tag of the content. */
function toEntityTag(content: Uint8Array): string {
  return `W/"${sha256(content).slice(0, 32)}"`;
}

/** A JSON object: the members of `head`, then what follows, which ends the object. */
function withHead(head: Record<string, unknown>, rest: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head).slice(0, -1)},`), ...rest]);
}

function answer<D>({ bytes, tag }: Document, ifNoneMatch: string | undefined): Answer<D> {
  const headers = { ETag: tag };
  return isListed(tag, ifNoneMatch) ? reply(304, null, { headers }) : readyJson(bytes, headers);
}

/** Weak comparison of RFC 9110 §13.1.2: `*`, or one of a list of tags. */
function isListed(tag: string, header = ''): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => opaque(one) === opaque(tag));
}
