// A second, naive connection log: a list of raw sightings in memory, and every answer worked out from them anew.
// Written from the contract; it shares no code with the hub.

export interface Sighting {
  src: string;
  dst: string;
  dport: number;
  proto: string;
  sport: number | null;
  ttl: number | null;
  /** Earlier than `at` only in the first sighting of a flow. */
  startedAt: number;
  at: number;
  router: string;
}

export interface SourceFacts {
  mac: string | null;
  vendor: string | null;
  dns_name: string | null;
  mdns_name: string | null;
  device_id: string | null;
}

export interface DestinationFacts {
  host: string | null;
  country: string | null;
  org: string | null;
  lat: number | null;
  lon: number | null;
  city: string | null;
}

/** What a feed lists of an address: one port of it, and less surely the others; or every port alike. */
export interface Listing {
  threat: Verdict;
  /** `null`: of every port. */
  port: number | null;
  /** Of the other ports. */
  otherwise: Verdict | null;
}

export interface Verdict {
  level: 'warn' | 'danger';
  confidence: 'low' | 'high';
  source: 'feed_c2' | 'feed_ioc' | 'feed_url' | 'feed_drop';
  tag: string | null;
  matchType: 'ip' | 'domain' | 'cidr';
  matchValue: string;
  port: number | null;
  url: string | null;
}

export interface World {
  sources: ReadonlyMap<string, SourceFacts>;
  destinations: ReadonlyMap<string, DestinationFacts>;
  /** By destination address. */
  listings: ReadonlyMap<string, Listing>;
  /** Router id → kind. */
  routers: ReadonlyMap<string, 'vendor_a' | 'vendor_b'>;
}

/** By name; the values of a parameter that is repeated. */
export type Asked = Readonly<Record<string, string | readonly string[]>>;

interface Hour {
  first: number;
  last: number;
  /** Sightings by different routers or at different times. */
  times: number;
}

export interface Flow {
  src: string;
  dst: string;
  dport: number;
  proto: string;
  sport: number | null;
  ttl: number | null;
  firstSeen: number;
  lastSeen: number;
  routers: Set<string>;
  hours: Map<number, Hour>;
}

const hourMs = 3_600_000;

/** Every flow of the sightings, which must be in the order of time. */
export function flowsOf(sightings: readonly Sighting[]): Flow[] {
  const flows = new Map<string, Flow>();
  for (const one of sightings) {
    const { src, dst, dport, proto, at } = one;
    const key = `${src} ${dst} ${dport} ${proto}`;
    const flow = flows.get(key) ?? {
      ...{ src, dst, dport, proto, sport: null, ttl: null, firstSeen: one.startedAt, lastSeen: at },
      ...{ routers: new Set<string>(), hours: new Map<number, Hour>() },
    };
    flows.set(key, flow);
    flow.sport = one.sport ?? flow.sport;
    flow.ttl = one.ttl ?? flow.ttl;
    flow.lastSeen = at;
    flow.routers.add(one.router);
    const hour = Math.floor(at / hourMs);
    const startHour = Math.floor(one.startedAt / hourMs);
    if (one.startedAt < at && startHour !== hour) {
      flow.hours.set(startHour, { first: one.startedAt, last: one.startedAt, times: 0 });
    }
    const span = flow.hours.get(hour);
    if (!span && startHour === hour) {
      flow.hours.set(hour, { first: one.startedAt, last: at, times: 1 });
    } else if (!span) {
      flow.hours.set(hour, { first: at, last: at, times: 1 });
    } else if (at > span.last) {
      span.last = at;
      span.times += 1;
    }
  }
  return [...flows.values()];
}

/** What `world` says of a flow. */
export function verdictOf(world: Pick<World, 'listings'>, dst: string, dport: number): Verdict | null {
  const listing = world.listings.get(dst);
  return listing ? (listing.port === null || listing.port === dport ? listing.threat : listing.otherwise) : null;
}

/** The flows that are left when hours that ended at or before `before` are gone. */
export function prunedFlows(flows: readonly Flow[], before: number): Flow[] {
  const cut = Math.floor(before / hourMs);
  return flows
    .filter(({ lastSeen }) => lastSeen >= cut * hourMs)
    .map((flow) => ({ ...flow, hours: new Map([...flow.hours].filter(([hour]) => hour >= cut)) }));
}

const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));

function holds(value: string | number | null, wanted: string, mode = 'contains'): boolean {
  if (value === null) {
    return false;
  }
  const [text, part] = [lower(String(value)), lower(wanted)];
  const is = { contains: text.includes(part), startsWith: text.startsWith(part), endsWith: text.endsWith(part) };
  return mode === 'exact' ? text === part : is[mode as keyof typeof is];
}

/** What a filter asks for; what is empty asks for nothing. */
const asksFor = (value: Asked[string] | undefined) => [value ?? []].flat().filter((text) => text !== '');

/** A negative mode shows what its counterpart leaves out. */
const opposites: Readonly<Record<string, string>> = { isNot: 'exact', notContains: 'contains' };

export function createOracle(flows: readonly Flow[], world: World) {
  const source = (flow: Flow) => world.sources.get(flow.src) as SourceFacts;
  const destination = (flow: Flow) => world.destinations.get(flow.dst) as DestinationFacts;
  const threatOf = ({ dst, dport }: Pick<Flow, 'dst' | 'dport'>) => verdictOf(world, dst, dport);
  const levelOf = (flow: Flow) => threatOf(flow)?.level ?? 'safe';
  /** Danger before warn, high before low. */
  const gravity = ({ level, confidence }: Verdict) => (level === 'danger' ? 2 : 0) + (confidence === 'high' ? 1 : 0);
  const gravest = (members: readonly Flow[]) =>
    members.flatMap((flow) => threatOf(flow) ?? []).sort((a, b) => gravity(b) - gravity(a))[0] ?? null;
  const worst = (members: readonly Flow[]) => gravest(members)?.level ?? 'safe';
  const kindsOf = (routers: Iterable<string>) =>
    [...new Set([...routers].map((id) => world.routers.get(id) ?? ''))].sort();

  const wasSeen = (flow: Flow, from: number, to: number) =>
    from <= to && [...flow.hours.values()].some(({ first, last }) => first <= to && last >= from);
  /** When it began is known also after its first hours have gone. */
  const isIn = (flow: Flow, from: number, to: number) =>
    (flow.firstSeen >= from && flow.firstSeen <= to) || wasSeen(flow, from, to);

  function matching(asked: Asked): Flow[] {
    const from = asked.from ? Number(asked.from) : Number.NEGATIVE_INFINITY;
    const to = asked.to ? Number(asked.to) : Number.POSITIVE_INFINITY;
    return flows.filter((flow) => {
      const [here, there] = [source(flow), destination(flow)];
      const modeOf = (name: string) => String(asked[`${name}Mode`] ?? 'contains');
      const any = (name: string, ...values: (string | number | null)[]) => {
        const [texts, mode] = [asksFor(asked[name]), modeOf(name)];
        const isFound = texts.some((text) => values.some((value) => holds(value, text, opposites[mode] ?? mode)));
        return texts.length === 0 || isFound === !(mode in opposites);
      };
      const isOneOf = (name: string, value: string | null, wanted = asksFor(asked[name])) =>
        wanted.length === 0 || (value !== null && wanted.includes(value));
      const names = ['exact', 'isNot'].includes(modeOf('fSrc')) ? [] : [here.dns_name, here.mdns_name];
      return (
        isIn(flow, from, to) &&
        (!asked.sourceId || flow.routers.has(String(asked.sourceId))) &&
        isOneOf('src', flow.src) &&
        any('fSrc', flow.src, ...names) &&
        any('fDst', flow.dst, there.host) &&
        any('fDport', flow.dport) &&
        any('fProto', flow.proto) &&
        any('fCountry', there.country) &&
        any('fOrg', there.org) &&
        isTarget(flow, asksFor(asked.fTarget), modeOf('fTarget')) &&
        (!asked.target || target(flow) === asked.target) &&
        (!asked.country || there.country === asked.country) &&
        lacksOne(flow, asksFor(asked.fUnknown)) &&
        isOneOf('fSrcMac', here.mac, asksFor(asked.fSrcMac).map(lower)) &&
        isOneOf('fDevice', here.device_id) &&
        isOneOf('fThreat', levelOf(flow))
      );
    });
  }

  function isTarget(flow: Flow, wanted: readonly string[], mode: string): boolean {
    const isFound = wanted.some((text) =>
      ['exact', 'isNot'].includes(mode) ? target(flow) === text : holds(target(flow), text, opposites[mode] ?? mode),
    );
    return wanted.length === 0 || isFound === !(mode in opposites);
  }

  function lacksOne(flow: Flow, facts: readonly string[]): boolean {
    const { country, lat, lon } = destination(flow);
    const missing = { country: country === null, place: lat === null || lon === null };
    const asked = facts.filter((fact) => fact in missing);
    return asked.length === 0 || asked.some((fact) => missing[fact as keyof typeof missing]);
  }

  function connection(flow: Flow) {
    const [here, there] = [source(flow), destination(flow)];
    return {
      ...{ src: flow.src, dst: flow.dst, dport: flow.dport, proto: flow.proto, sport: flow.sport, ttl: flow.ttl },
      ...{ firstSeen: flow.firstSeen, lastSeen: flow.lastSeen },
      ...{ observedBy: [...flow.routers].sort(), source: kindsOf(flow.routers).join('+') },
      ...{ srcMac: here.mac, srcVendor: here.vendor, srcDnsName: here.dns_name, srcMdnsName: here.mdns_name },
      ...{ srcDeviceId: here.device_id, dstHost: there.host, country: there.country, org: there.org },
      ...{ lat: there.lat, lon: there.lon, city: there.city },
      ...{ agentHost: null, process: null, pid: null, bytesIn: null, bytesOut: null },
      ...{ threat: threatOf(flow), threatLevel: levelOf(flow) },
    };
  }

  /** No text of a world has a surrogate: the order of its UTF-16 units is that of its bytes. */
  const bytes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const either = (a: string | number, b: string | number) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : bytes(String(a), String(b));

  function sorted(rows: readonly Flow[], asked: Asked): Flow[] {
    const values = (flow: Flow): (string | number | null)[] => {
      const there = destination(flow);
      switch (asked.sort) {
        case 'src':
          return [flow.src];
        case 'dst':
          return [there.host, flow.dst];
        case 'dport':
          return [flow.dport];
        case 'proto':
          return [flow.proto];
        case 'country':
          return [there.country];
        case 'org':
          return [there.org];
        default:
          return [flow.lastSeen];
      }
    };
    return rows.toSorted((a, b) => {
      const others = values(b);
      for (const [at, value] of values(a).entries()) {
        const other = others[at] ?? null;
        if (value === null || other === null) {
          if (value !== other) {
            return value === null ? 1 : -1;
          }
          continue;
        }
        const by = either(value, other);
        if (by !== 0) {
          return asked.sortDir === 'asc' ? by : -by;
        }
      }
      return (
        b.lastSeen - a.lastSeen ||
        bytes(a.src, b.src) ||
        bytes(a.dst, b.dst) ||
        a.dport - b.dport ||
        bytes(a.proto, b.proto)
      );
    });
  }

  function group<G extends object>(
    rows: readonly Flow[],
    keyOf: (flow: Flow) => string,
    more: (rows: Flow[], key: string) => G,
  ) {
    const groups = Map.groupBy(rows, keyOf);
    return [...groups]
      .map(([key, members]) => ({
        sort: key,
        value: {
          count: members.length,
          firstSeen: Math.min(...members.map((flow) => flow.firstSeen)),
          lastSeen: Math.max(...members.map((flow) => flow.lastSeen)),
          ...more(members, key),
        },
      }))
      .sort((a, b) => b.value.count - a.value.count || (a.sort < b.sort ? -1 : 1))
      .map(({ value }) => value);
  }

  const target = (flow: Flow) => destination(flow).org ?? destination(flow).host ?? flow.dst;

  function summary(asked: Asked) {
    const rows = matching(asked);
    const buckets = Number(asked.buckets ?? 60);
    const from = asked.from ? Number(asked.from) : Math.min(...rows.map((flow) => flow.firstSeen));
    const to = asked.to ? Number(asked.to) : Math.max(...rows.map((flow) => flow.lastSeen));
    const places = rows.filter((flow) => destination(flow).lat !== null);
    const locations = group(
      places,
      (flow) => {
        const { org, country, city, lat, lon } = destination(flow);
        return `${org ?? ''}|${country ?? ''}|${city ?? ''}|${lat}|${lon}`;
      },
      (members, key) => {
        const { org, country, city, lat, lon } = destination(members[0] as Flow);
        const ttls = members.flatMap((flow) => flow.ttl ?? []);
        const maxTtl = ttls.length === 0 ? null : Math.max(...ttls);
        return { key, org, country, city, lat, lon, srcCount: new Set(members.map((flow) => flow.src)).size, maxTtl };
      },
    ).map(({ count, ...place }) => ({ ...place, totalSessions: count }));
    const shown = locations.slice(0, 500);
    const shownSessions = shown.reduce((sum, place) => sum + place.totalSessions, 0);
    const timeline: { key: string; bucket: number; count: number }[] = [];
    const byBucket = Array.from({ length: buckets }, () => 0);
    const width = (to - from + 1) / buckets;
    for (let bucket = 0; bucket < buckets && from <= to; bucket += 1) {
      const [start, end] = [Math.ceil(from + bucket * width), Math.ceil(from + (bucket + 1) * width) - 1];
      const seen = rows.filter((flow) => wasSeen(flow, start, end));
      byBucket[bucket] = seen.length;
      const groups = group(seen, target, (_, key) => ({ key, bucket }));
      timeline.push(...groups.slice(0, 50).map(({ key, count }) => ({ key, bucket, count })));
    }
    const inWindow = ({ first, last }: Hour) => first <= to && last >= from;
    return {
      byDst: group(
        rows,
        (flow) => flow.dst,
        (members) => {
          const [flow] = members;
          const { host: dstHost, country, org } = destination(flow as Flow);
          return { dst: (flow as Flow).dst, dstHost, country, org, threat: gravest(members) };
        },
      ).slice(0, 500),
      byDevice: group(
        rows,
        (flow) => flow.src,
        (members, src) => {
          const { mac, vendor, dns_name, mdns_name } = world.sources.get(src) as SourceFacts;
          const routers = new Set(members.flatMap((flow) => [...flow.routers]));
          return {
            ...{ src, srcMac: mac, srcVendor: vendor, srcDnsName: dns_name, srcMdnsName: mdns_name },
            ...{ observedBy: [...routers].sort(), sources: kindsOf(routers), level: worst(members) },
          };
        },
      ).slice(0, 200),
      byTarget: group(rows, target, (members, key) => ({ key, label: key, level: worst(members) })).slice(0, 1000),
      byEdge: group(
        rows,
        (flow) => `${flow.src} ${target(flow)}`,
        (members) => ({
          src: (members[0] as Flow).src,
          key: target(members[0] as Flow),
          level: worst(members),
        }),
      ).slice(0, 3000),
      byCountry: group(
        rows,
        (flow) => destination(flow).country ?? '',
        (members, key) => ({ country: key === '' ? null : key, level: worst(members) }),
      ).slice(0, 300),
      byLocation: shown,
      mapCoverage: {
        ...{ limit: 500, totalGroups: locations.length, shownGroups: shown.length },
        ...{ totalSessions: places.length, shownSessions },
        percent: places.length === 0 ? 100 : Math.round((shownSessions / places.length) * 1000) / 10,
        capped: locations.length > 500,
      },
      timeline,
      byBucket,
      total: rows.length,
      observations: rows
        .flatMap((flow) => [...flow.hours.values()].filter(inWindow))
        .reduce((sum, { times }) => sum + times, 0),
      uniqueDestinations: new Set(rows.map((flow) => flow.dst)).size,
      uniqueDevices: new Set(rows.map((flow) => flow.src)).size,
      uniqueTargets: new Set(rows.map(target)).size,
    };
  }

  function threats(asked: Asked) {
    const isAsked = ({ confidence }: Verdict) => ['all', confidence].includes(String(asked.confidence ?? 'all'));
    const rows = matching(asked).filter((flow) => {
      const threat = threatOf(flow);
      return threat !== null && isAsked(threat);
    });
    const all = group(
      rows,
      (flow) => flow.dst,
      (members, dst) => {
        const facts = world.destinations.get(dst) as DestinationFacts;
        const { port: _, ...threat } = gravest(members) as Verdict;
        return {
          dst,
          host: facts.host,
          sessions: members.length,
          ...threat,
          feed: threat.source,
          category: threat.tag,
        };
      },
    ).map(({ count: _count, firstSeen: _first, lastSeen: _last, ...row }) => row);
    const shown = all.slice(0, Math.min(Number(asked.limit ?? 50), 200));
    return { total: all.length, count: shown.length, threats: shown };
  }

  function counts(asked: Asked) {
    const of = (level: string) => matching(asked).filter((flow) => levelOf(flow) === level).length;
    return { safe: of('safe'), warn: of('warn'), danger: of('danger') };
  }

  function newNodes(asked: Asked) {
    const [from, to] = [Number(asked.from || 0), asked.to ? Number(asked.to) : Number.POSITIVE_INFINITY];
    const first = (keyOf: (flow: Flow) => string) =>
      [...Map.groupBy(flows, keyOf)]
        .map(([address, members]) => ({ address, firstSeen: Math.min(...members.map((flow) => flow.firstSeen)) }))
        .filter(({ firstSeen }) => firstSeen >= from && firstSeen <= to)
        .sort((a, b) => b.firstSeen - a.firstSeen || bytes(a.address, b.address));
    const [devices, destinations] = [first((flow) => flow.src), first((flow) => flow.dst)];
    return {
      deviceCount: devices.length,
      destinationCount: destinations.length,
      newDevices: devices.slice(0, 1000).map(({ address: src, firstSeen }) => {
        const { mac, vendor, dns_name, mdns_name } = world.sources.get(src) as SourceFacts;
        return { src, srcMac: mac, srcVendor: vendor, srcDnsName: dns_name, srcMdnsName: mdns_name, firstSeen };
      }),
      newDestinations: destinations.slice(0, 1000).map(({ address: dst, firstSeen }) => {
        const { host: dstHost, country, org } = world.destinations.get(dst) as DestinationFacts;
        return { dst, dstHost, country, org, firstSeen };
      }),
    };
  }

  return { matching, sorted, connection, summary, threats, counts, newNodes };
}
