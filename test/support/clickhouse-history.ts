// A server that answers the questions of a long range as ClickHouse would, from a naive log in memory.
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { type Asked, createOracle, type Flow, verdictOf, type World } from './connection-oracle.ts';
import { type HostileClickHouse, startHostileClickHouse } from './hostile-clickhouse.ts';

export interface HistoryServer extends HostileClickHouse {
  /** The parameters of each question, in their order. */
  questions: Record<string, string>[];
  /** Seconds since the epoch of the oldest and the newest hour. */
  held: { rows: number; oldest: number; newest: number };
  /** What every question is answered with instead, and its status. */
  refusal: { status: number; text: string } | null;
  /** Places that are added to those of the log. */
  places: object[];
}

/** Its rows come in an order of no meaning, where the question asks for none. */
export async function startHistoryServer(flows: readonly Flow[], world: World): Promise<HistoryServer> {
  const questions: Record<string, string>[] = [];
  const server = await startHostileClickHouse(async (request, response) => {
    const body = Buffer.concat(await Readable.from(request).toArray());
    const query = String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
    const params = new URL(request.url ?? '', 'http://server').searchParams.entries();
    const given = Object.fromEntries([...params].map(([name, value]) => [name.replace('param_', ''), value]));
    questions.push(given);
    if (scene.refusal !== null) {
      response.writeHead(scene.refusal.status).end(scene.refusal.text);
      return;
    }
    const rows = query.includes('min(hour)') ? [scene.held] : rowsOf(query, given, flows, world);
    const all = query.includes('AS sources') ? [...rows, ...scene.places] : rows;
    response.end(all.map((row) => `${JSON.stringify(row)}\n`).join(''));
  });
  const scene: HistoryServer = {
    ...server,
    questions,
    held: { rows: 1, oldest: 0, newest: 4_000_000_000 },
    refusal: null,
    places: [],
  };
  return scene;
}

const rank = (level: string) => ['safe', 'warn', 'danger'].indexOf(level);

function rowsOf(query: string, given: Record<string, string>, flows: readonly Flow[], world: World): object[] {
  const { from = '', to = '', buckets = '', src = '[]', target = '', country = '', router = '' } = given;
  // An array of texts comes as ['a','b'].
  const sources = JSON.parse(src.replaceAll("'", '"')) as string[];
  const asked: Asked = { from, to, buckets, src: sources, target, country, sourceId: router };
  const oracle = createOracle(flows, world);
  const summary = oracle.summary(asked);
  const members = oracle.matching(asked);
  const plain = (row: { count: number; level: string }) => ({
    ...row,
    count: String(row.count),
    level: rank(row.level),
  });
  const textOf = (text: string | null) => text ?? '';
  const answers: Record<string, () => object[]> = {
    'AS threats': () =>
      summary.byDst.map(({ dst, dstHost, country: place, org, threat: _, ...row }) => ({
        ...plain({ ...row, level: 'safe' }),
        ...{ dst, host: textOf(dstHost), country: textOf(place), org: textOf(org) },
        threats: verdicts(
          members.filter((flow) => flow.dst === dst),
          world,
        ),
      })),
    'AS names': () =>
      summary.byDevice.map(({ srcMac, srcVendor, srcDnsName, srcMdnsName, observedBy, sources, ...row }) => ({
        ...{ ...plain(row), names: [srcMac, srcVendor, srcDnsName, srcMdnsName].map(textOf), observers: observedBy },
        kinds: [sources.join('+'), ...sources.toReversed()],
      })),
    'SELECT f_src AS src, f_target': () => summary.byEdge.map(plain),
    'LIMIT 50 BY bucket': () => summary.timeline,
    'GROUP BY bucket': () =>
      summary.byBucket.map((count, bucket) => ({ bucket, count })).filter(({ count }) => count > 0),
    'SELECT f_target AS key': () => summary.byTarget.map(({ label: _, ...row }) => plain(row)),
    'AS sources': () =>
      summary.byLocation.toReversed().map((place) => ({
        ...{ ...place, count: place.totalSessions, level: 0, sources: place.srcCount, ttl: place.maxTtl ?? -1 },
        ...{ org: textOf(place.org), country: textOf(place.country), city: textOf(place.city) },
      })),
    'SELECT f_country AS country': () =>
      summary.byCountry.map(({ country: place, ...row }) => ({ ...plain(row), country: textOf(place) })),
    'AS port': () => services(members, world),
    'AS observations': () => {
      const { total, observations, uniqueDestinations, uniqueDevices, uniqueTargets } = summary;
      return [{ total, observations: String(observations), uniqueDestinations, uniqueDevices, uniqueTargets }];
    },
    'AS safe': () => [oracle.counts(asked)],
  };
  const known = Object.keys(answers).find((part) => query.includes(part));
  if (known === undefined) {
    throw new Error(`no answer to ${query}`);
  }
  return answers[known]?.() ?? [];
}

/** Every other one as an object, as some versions of ClickHouse write a tuple; the least severe first. */
function verdicts(members: readonly Flow[], world: World): object[] {
  const texts = members.flatMap(({ dst, dport }) => {
    const verdict = verdictOf(world, dst, dport);
    if (verdict === null) {
      return [];
    }
    const { level, confidence, source, tag, matchType, matchValue, port, url } = verdict;
    return JSON.stringify([rank(level), confidence, source, tag ?? '', matchType, matchValue, port ?? -1, url ?? '']);
  });
  const tuples = [...new Set(texts)].sort().map((text) => JSON.parse(text) as unknown[]);
  return tuples.map((tuple, at) => (at % 2 === 0 ? tuple : { ...tuple }));
}

function services(members: readonly Flow[], world: World): object[] {
  const web = [80, 443, 8080, 8443];
  const keyOf = ({ dst, dport, proto }: Flow) => {
    const label = world.destinations.get(dst)?.host?.toLowerCase().split('.')[0] ?? '';
    return JSON.stringify([dport, proto, web.includes(dport) ? label : '']);
  };
  return [...Map.groupBy(members, keyOf)].map(([key, { length: count }]) => {
    const [port, proto, label] = JSON.parse(key);
    return { port, proto, label, count };
  });
}
