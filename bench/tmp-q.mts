import { ReadConnection } from '#kernel/sqlite.ts';
import { queries } from '#hub/connections/queries.ts';
const r = new ReadConnection(process.argv[2]! + '/monitor.db', 16384);
const now = 1_790_000_000_000 - (1_790_000_000_000 % 3_600_000);
const day = 86_400_000;
const only = process.argv[3];
const L = (o: any, filter: any = {}) => ['list', { filter, sort: 'lastSeen', sortDir: 'desc', limit: 100, offset: 0, isWhole: false, now, ...o }] as const;
const w24 = { from: now - day, to: now }, w14 = { from: now - 14*day, to: now };
const cases: Record<string, any> = {
  'page 24h': L({}, w24), 'page 14d': L({}, w14), 'page all': L({}), 'page 1000': L({ limit: 1000 }, w14),
  'past day': L({}, { from: now - 8*day, to: now - 7*day }),
  'offset N/2': L({ offset: 450_000 }, w14),
  'fDst common': L({}, { ...w14, fDst: 'edge' }), 'fDst rare': L({}, { ...w14, fDst: 'edge-3999' }), 'fDst absent': L({}, { ...w14, fDst: 'zzz' }),
  'fOrg common': L({}, { ...w14, fOrg: 'net' }), 'fOrg rare': L({}, { ...w14, fOrg: 'Org 399' }), 'fCountry': L({}, { ...w14, fCountry: 'US' }), 'fDport': L({}, { ...w14, fDport: '443', fDportMode: 'exact' }),
  'fSrc': L({}, { ...w14, fSrc: '192.168.1.7', fSrcMode: 'exact' }),
  ...Object.fromEntries(['src','dst','dport','proto','country','org'].flatMap(s => ['asc','desc'].map(d => [`sort ${s} ${d}`, L({ sort: s, sortDir: d }, w14)]))),
  'sort lastSeen asc': L({ sortDir: 'asc' }, w14), 'sort org offset': L({ sort: 'org', sortDir: 'asc', offset: 450_000 }, w14),
  'safe': L({}, { ...w14, fThreat: 'safe' }), 'warn': L({}, { ...w14, fThreat: 'warn' }), 'danger': L({}, { ...w14, fThreat: 'danger' }),
  'threat-counts': ['threatCounts', { filter: w14, now }], 'threat-connections': ['threatConnections', { filter: w14, confidence: 'all', limit: 50, now }],
  'new-nodes': ['newNodes', { ...w24, now }],
  'summary 14d': ['summary', { filter: w14, src: undefined, buckets: 60, now }], 'summary 24h': ['summary', { filter: w24, src: undefined, buckets: 60, now }],
  'unpaged': L({ limit: 50_000, isWhole: true }, w14), 'export csv': ['export', { filter: w14, format: 'csv', from: w14.from, to: now }],
};
for (const [name, [q, params]] of Object.entries(cases)) {
  if (only && !name.startsWith(only)) continue;
  const times: number[] = []; let bytes = 0;
  for (let i = 0; i < 3; i++) {
    (r as any).forget?.();
    const t = performance.now();
    const a = (queries as any)[q](r, params);
    if (q === 'export') { bytes = 0; for (const x of a) bytes += x.length; } else bytes = new TextEncoder().encode(JSON.stringify(a)).length;
    times.push(performance.now() - t);
    if (times[0]! > 3000) break;
  }
  console.log(name.padEnd(22), times.map(t => t.toFixed(1).padStart(8)).join(' '), bytes);
}
const last = queries.list(r, L({ offset: 400_000 }, w14)[1] as any);
for (let i = 0; i < 3; i++) { const t = performance.now(); queries.list(r, L({ after: last.next }, w14)[1] as any); console.log('cursor', (performance.now()-t).toFixed(1)); }
console.log('rss', process.memoryUsage().rss/1e6);
