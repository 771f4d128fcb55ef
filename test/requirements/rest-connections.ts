// REST specification: the connection log and what is computed from it.
import { type Requirement, stated } from './requirement.ts';

const record = [
  ...stated(1, '1', {
    'rest.connections.first-last-seen': 'outbound connections are stored with first-seen and last-seen times',
    'rest.connections.collected-from-routers': 'records are collected from routers',
    'rest.connections.enriched': 'destinations are enriched with country and organisation',
  }),
  ...stated(1, '1', {
    'rest.connections.collected-from-agents': 'records are collected from endpoint Agents',
  }),
  ...stated(1, '1', {
    'rest.connections.classified': 'each connection is classified as safe, warn or danger',
    'rest.connections.public-feeds': 'classification uses public threat feeds',
  }),
  ...stated(1, '2 Connection', {
    'rest.connections.field-src': 'src is the source address',
    'rest.connections.field-dst': 'dst is the destination address',
    'rest.connections.field-dport': 'dport is the destination port',
    'rest.connections.field-proto': 'proto is the protocol',
    'rest.connections.field-country': 'country is the destination country',
    'rest.connections.field-org': 'org is the destination organisation',
    'rest.connections.field-first-seen': 'firstSeen is the first observation time',
    'rest.connections.field-last-seen': 'lastSeen is the latest observation time',
    'rest.connections.observed-by-is-a-union': 'observedBy lists the router ids that observed the connection',
    'rest.connections.field-source': 'source is a compatibility value derived from observedBy',
    'rest.connections.field-source-device': 'source-device metadata is attached to each connection',
    'rest.connections.field-source-mac': 'source-device metadata includes the source MAC',
    'rest.connections.field-enrichment': 'destination enrichment is attached to each connection',
    'rest.connections.list-envelope': 'a list has connections, total, limit, offset, serverTime',
  }),
  ...stated(1, '2 Connection', {
    'rest.connections.field-threat': 'threat is an optional object with level safe, warn or danger',
    'rest.connections.field-threat-confidence': 'threat confidence is low or high',
  }),
];

const list = [
  ...stated(1, '4 Connections', {
    'rest.connections.list-protected': 'GET /api/connections is Protected',
    'rest.connections.param-from': 'from is an optional epoch-millisecond bound',
    'rest.connections.param-to': 'to is an optional epoch-millisecond bound',
    'rest.connections.param-limit': 'limit pages the list',
    'rest.connections.param-offset': 'offset pages the list',
    'rest.connections.sort-default': 'sort defaults to lastSeen',
    'rest.connections.sort-last-seen': 'sort=lastSeen',
    'rest.connections.sort-src': 'sort=src',
    'rest.connections.sort-dst': 'sort=dst',
    'rest.connections.sort-dport': 'sort=dport',
    'rest.connections.sort-proto': 'sort=proto',
    'rest.connections.sort-country': 'sort=country',
    'rest.connections.sort-org': 'sort=org',
    'rest.connections.sort-dir': 'sortDir is asc or desc, default desc',
    'rest.connections.filter-src': 'fSrc filters the source column on the server',
    'rest.connections.filter-dst': 'fDst filters the destination column on the server',
    'rest.connections.filter-dport': 'fDport filters the destination-port column on the server',
    'rest.connections.filter-proto': 'fProto filters the protocol column on the server',
    'rest.connections.filter-country': 'fCountry filters the country column on the server',
    'rest.connections.filter-org': 'fOrg filters the organisation column on the server',
    'rest.connections.mode-contains': 'a column filter with Mode=contains',
    'rest.connections.mode-starts-with': 'a column filter with Mode=startsWith',
    'rest.connections.mode-ends-with': 'a column filter with Mode=endsWith',
    'rest.connections.mode-exact': 'a column filter with Mode=exact',
    'rest.connections.filter-src-mac': 'fSrcMac filters exactly by source MAC',
    'rest.connections.filter-threat': 'fThreat filters by safe, warn or danger',
  }),
  ...stated(1, '4 Connections, 8', {
    'rest.connections.limit-clamped': 'limit is clamped to 1000',
    'rest.connections.unpaged-50000': 'without paging at most 50,000 rows are returned',
  }),
  ...stated(1, '4 Connections', {
    'rest.connections.unpaged-truncated': 'the unpaged form carries a truncated indicator',
  }),
  ...stated(1, '4 Connections', {
    'rest.connections.graph-uses-summary': 'the graph view uses /api/connections/summary',
  }),
];

const computed = stated(1, '4 Connections', {
  'rest.connections.memory-protected': 'GET /api/connections/memory is Protected',
  'rest.connections.summary-protected': 'GET /api/connections/summary is Protected',
  'rest.connections.new-nodes-protected': 'GET /api/connections/new-nodes is Protected',
  'rest.connections.threat-connections-protected': 'GET /api/connections/threat-connections is Protected',
  'rest.connections.threat-counts-protected': 'GET /api/connections/threat-counts is Protected',
  'rest.connections.export-protected': 'GET /api/connections/export is Protected',
  'rest.connections.summary-range': 'summary takes from and to',
  'rest.connections.summary-src': 'summary takes an optional src',
  'rest.connections.new-nodes': 'new-nodes returns source and destination nodes newly observed in a range',
  'rest.connections.threat-confidence': 'threat-connections takes confidence low, high or all',
  'rest.connections.threat-counts': 'threat-counts returns safe, warn and danger counts',
  'rest.connections.threat-counts-filters': 'threat-counts accepts the standard server-side filters',
  'rest.connections.memory': 'memory returns in-memory working-set statistics',
  'rest.connections.export-format': 'export requires format, csv or json',
  'rest.connections.export-from': 'export requires from',
  'rest.connections.export-to': 'export to defaults to now',
  'rest.connections.export-header-total': 'export answers X-Export-Total',
  'rest.connections.export-header-count': 'export answers X-Export-Count',
  'rest.connections.export-header-truncated': 'export answers X-Export-Truncated',
  'rest.connections.export-csv-bom': 'export CSV is UTF-8 with a BOM',
  'rest.connections.export-csv-formula': 'export CSV protects against spreadsheet formula injection',
  'rest.connections.export-anonymise':
    'export with anonymise=1 has other addresses, MACs and names, each the same everywhere, and all else as it is',
  'rest.connections.export-json': 'export JSON returns meta and connections',
});

const computedLimits = stated(1, '4 Connections, 8', {
  'rest.connections.summary-buckets': 'summary buckets are 1 to 240, default 60',
  'rest.connections.threat-limit-200': 'threat-connections limit is capped at 200',
  'rest.connections.export-pages-1000': 'export streams in pages of 1000 rows',
  'rest.connections.export-stops-50000': 'export stops at 50,000 rows',
  'rest.connections.export-timeout-60s': 'export times out after 60 seconds',
});

export const restConnections: readonly Requirement[] = [...record, ...list, ...computed, ...computedLimits];
