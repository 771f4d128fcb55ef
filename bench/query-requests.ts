// The requests of the query benchmark: what is asked, what it may take, and the SQL that reads the same rows.

export interface QueryRequest {
  name: string;
  /** Path and query of a run; a summary gets another range each time, so that no kept answer serves it. */
  target(run: number): string;
  /** Milliseconds it may take, or `-`; by the number of flows in the log. */
  targetMs(flows: number): number | string;
  /** Reads the same rows: the least that any program needs. */
  sql: string;
  /** Asked eight times at once in the end. */
  isSlow?: boolean;
}

const dayMs = 86_400_000;
const joined = `SELECT * FROM flow f CROSS JOIN source s ON s.id = f.source_id
  CROSS JOIN destination d ON d.id = f.destination_id`;
const page = (rows: number) => `${joined} ORDER BY f.last_seen DESC LIMIT ${rows}`;
const withWord = (condition: string) =>
  `${joined} WHERE f.destination_id IN (SELECT id FROM destination WHERE ${condition}) ORDER BY f.last_seen DESC LIMIT 100`;
const everyFlow = 'SELECT sum(source_id + destination_id), sum(last_seen - first_seen) FROM flow';

/** Targets at up to a million flows, and beyond. */
const within = (few: number, many: number) => (flows: number) => (flows > 1_500_000 ? many : few);

const list = (query: string) => () => `/api/connections?${encodeURI(query)}`;

/** `newest`: when the newest connection of the log was last seen, epoch milliseconds. */
export function queryRequests(newest: number, flows: number): QueryRequest[] {
  const range = (from: number, to = newest) => `from=${from}&to=${to}`;
  const day = range(newest - dayMs);
  const fortnight = range(newest - 14 * dayMs);
  const half = Math.floor(flows / 2);
  const summary = (name: string, days: number): QueryRequest => ({
    name,
    target: (run) => `/api/connections/summary?${range(newest - days * dayMs, newest + run)}`,
    targetMs: within(150, 400),
    sql: everyFlow,
    isSlow: true,
  });
  const sorts = ['src', 'dst', 'dport', 'proto', 'country', 'org'];
  return [
    { name: 'page of 100, 24 h', target: list(`${day}&limit=100`), targetMs: within(5, 10), sql: page(100) },
    { name: 'page of 100, 14 d', target: list(`${fortnight}&limit=100`), targetMs: within(5, 10), sql: page(100) },
    { name: 'page of 1,000', target: list(`${fortnight}&limit=1000`), targetMs: within(15, 20), sql: page(1000) },
    {
      name: 'page of 100, a day a week ago',
      target: list(`${range(newest - 8 * dayMs, newest - 7 * dayMs)}&limit=100`),
      targetMs: () => '-',
      sql: page(100),
    },
    {
      name: 'offset N/2',
      target: list(`${fortnight}&limit=100&offset=${half}`),
      targetMs: within(40, 150),
      sql: `SELECT id FROM flow ORDER BY last_seen DESC LIMIT 100 OFFSET ${half}`,
    },
    ...filterRequests(fortnight),
    ...sorts.map((sort) => ({
      name: `sort ${sort}`,
      target: list(`${fortnight}&limit=100&sort=${sort}`),
      targetMs: within(10, 15),
      sql: page(100),
    })),
    ...sorts.map((sort) => ({
      name: `sort ${sort}, offset N/2`,
      target: list(`${fortnight}&limit=100&sort=${sort}&offset=${half}`),
      targetMs: () => '-',
      sql: `SELECT id FROM flow ORDER BY last_seen DESC LIMIT 100 OFFSET ${half}`,
      isSlow: sort === 'org',
    })),
    ...['safe', 'warn', 'danger'].map((level) => ({
      name: `fThreat ${level}`,
      target: list(`${fortnight}&limit=100&fThreat=${level}`),
      targetMs: within(15, 25),
      sql: page(100),
    })),
    {
      name: 'threat-counts 14 d',
      target: () => `/api/connections/threat-counts?${fortnight}`,
      targetMs: within(20, 40),
      sql: 'SELECT count(*) FROM flow WHERE threat_id IS NOT NULL',
    },
    {
      name: 'threat-connections 14 d',
      target: () => `/api/connections/threat-connections?${fortnight}`,
      targetMs: () => '-',
      sql: 'SELECT destination_id, threat_id, count(*) FROM flow WHERE threat_id IS NOT NULL GROUP BY 1, 2',
    },
    {
      name: 'coverage 14 d',
      target: () => `/api/coverage?${fortnight}&buckets=240`,
      targetMs: () => 20,
      sql: 'SELECT * FROM coverage_span',
    },
    {
      name: 'new-nodes 24 h',
      target: () => `/api/connections/new-nodes?${day}`,
      targetMs: within(40, 80),
      sql: `SELECT * FROM destination WHERE first_seen >= ${newest - dayMs} LIMIT 1000`,
    },
    {
      name: 'alerts, page of 200',
      target: () => '/api/alerts?limit=200',
      targetMs: () => 50,
      sql: 'SELECT a.*, l.* FROM alert a JOIN detection l ON l.alert_id = a.id',
    },
    {
      name: 'values of country, 14 d',
      target: (run) => `/api/connections/values?column=country&${range(newest - 14 * dayMs, newest + run)}`,
      targetMs: within(150, 400),
      sql: everyFlow,
    },
    summary('summary 14 d', 14),
    summary('summary 24 h', 1),
    {
      name: 'unpaged 50,000',
      target: list(fortnight),
      targetMs: () => 500,
      sql: page(50_000),
      isSlow: true,
    },
    ...['CSV', 'JSON'].map((format) => ({
      name: `export 50,000 ${format}`,
      target: () => `/api/connections/export?format=${format}&${fortnight}`,
      targetMs: () => 600,
      sql: page(50_000),
    })),
  ];
}

/** Lists of connections in `range`, filtered by host, organisation or country of the destination. */
function filterRequests(range: string): QueryRequest[] {
  const word = (name: string, query: string, condition: string): QueryRequest => ({
    name,
    target: list(`${range}&limit=100&${query}`),
    targetMs: within(50, 120),
    sql: withWord(condition),
  });
  const twenty = Array.from({ length: 20 }, (_, at) => `Org ${at}7`);
  const anyOf = (column: string, texts: readonly string[]) =>
    texts.map((text) => `${column} LIKE '%${text}%'`).join(' OR ');
  return [
    word('fDst common', 'fDst=edge', "host LIKE '%edge%'"),
    word('fDst rare', 'fDst=edge-3999', "host LIKE '%edge-3999%'"),
    word('fDst absent', 'fDst=absent-word', "host LIKE '%absent-word%'"),
    word('fOrg common', 'fOrg=net', "org LIKE '%net%'"),
    word('fOrg rare', 'fOrg=Org 399', "org LIKE '%Org 399%'"),
    word('fCountry', 'fCountry=US', "country LIKE '%US%'"),
    word('fCountry isNot', 'fCountry=US&fCountryMode=isNot', "(country LIKE 'US') IS NOT TRUE"),
    word('fOrg notContains', 'fOrg=net&fOrgMode=notContains', "(org LIKE '%net%') IS NOT TRUE"),
    word('fOrg any of 20', twenty.map((text) => `fOrg=${text}`).join('&'), anyOf('org', twenty)),
  ];
}
