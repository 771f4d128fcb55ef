// Mistakes in limits, audit and the hub behind the endpoint.
import { createHash, createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { decodeJwt } from 'jose';
import type { Stage } from '../../../scripts/stage.ts';
import { dataCopy, hubProxy, secondHub, withDevices } from '../other-hubs.ts';
import type { Making, Mistake } from './mistake.ts';

const notThisHub = /devices (?:are unknown to|of) the hub/;
const notMet = /requests of \d people and \d clients did not meet it/;

const mcp = (because: RegExp, settings: Readonly<Record<string, string>>): Making => ({
  make: (stage) => stage.restartMcp(settings),
  because,
});

const million = '1000000';
const lifted = { MCP_RATE_LIMIT_GLOBAL: million, MCP_RATE_LIMIT_SUBJECT: million, MCP_RATE_LIMIT_CLIENT: million };
const tokensOf = ({ settings }: Stage) => (settings.MCP_GATE_LIMIT_TOKENS ?? '').split(' ');

/** The endpoint writes rows as `changes` (SQL) say; the store is empty and as it was afterwards. */
function writing(stage: Stage, after: AsyncDisposableStack, changes: string, undo = ''): void {
  const run = (sql: string) => {
    const store = new Database(stage.settings.MCP_GATE_AUDIT_DB_PATH ?? '');
    store.exec(sql);
    store.close();
  };
  const appendOnly = `CREATE TRIGGER mcp_audit_is_append_only BEFORE UPDATE ON mcp_audit
    BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END`;
  run(`DROP TRIGGER mcp_audit_is_append_only;
    CREATE TRIGGER by_mistake AFTER INSERT ON mcp_audit WHEN NEW.subject_hash IS NOT NULL BEGIN ${changes}; END`);
  after.defer(() => run(`DROP TRIGGER by_mistake; DELETE FROM mcp_audit; ${undo}; ${appendOnly}`));
}

interface Known {
  sub: string;
  iss: string;
  client: string;
  token: string;
}

const stored = (because: RegExp, value: (known: Known) => string, column = 'subject_hash'): Making => ({
  make(stage, after) {
    const token = stage.settings.MCP_GATE_READ_TOKEN ?? '';
    const { sub = '', iss = '', client_id: id, azp } = decodeJwt(token);
    const text = value({ sub, iss, client: String(id ?? azp), token }).replaceAll("'", "''");
    writing(stage, after, `UPDATE mcp_audit SET ${column} = '${text}' WHERE seq = NEW.seq`);
  },
  because,
});

const sha256 = (text: string, encoding: 'hex' | 'base64url' = 'hex') =>
  createHash('sha256').update(text).digest(encoding);
const hashOf = (what: string) => new RegExp(`a hash of the ${what} that has no key`);

const otherHub = ['hub.answers', 'hub.requests'];
const rates = ['limit.subject', 'limit.client', 'limit.global'];
const peopleLimits = ['limit.client', 'limit.global'];

const hubs: readonly Mistake[] = [
  {
    id: 'operator.empty-second-hub',
    sentence: 'the endpoint asks an empty second hub',
    red: otherHub,
    async make(stage, after) {
      const hub = await secondHub(stage, after);
      await stage.restartMcp({ MONITOR_URL: hub.url, MCP_SERVICE_TOKEN: hub.serviceToken });
    },
    because: notThisHub,
  },
  {
    id: 'operator.second-hub-same-router',
    sentence: 'the endpoint asks a second hub that polls the same router',
    red: otherHub,
    async make(stage, after) {
      const hub = await secondHub(stage, after, { router: true });
      await stage.restartMcp({ MONITOR_URL: hub.url, MCP_SERVICE_TOKEN: hub.serviceToken });
    },
    because: notThisHub,
  },
  {
    id: 'operator.hub-copy',
    sentence: 'the endpoint asks a hub that runs on a copy of the data, as it was an hour ago',
    red: otherHub,
    async make(stage, after) {
      const hub = await secondHub(stage, after, { dataDir: dataCopy(stage) });
      await stage.restartMcp({ MONITOR_URL: hub.url });
    },
    because: notThisHub,
  },
  {
    id: 'operator.gate-asks-other-hub',
    sentence: 'MCP_GATE_MONITOR_URL names another hub than the endpoint has, and that one is healthy',
    red: otherHub,
    async make(stage, after) {
      const hub = await secondHub(stage, after, { router: true });
      stage.set({ MCP_GATE_MONITOR_URL: hub.url, MCP_GATE_MONITOR_TOKEN: hub.adminToken });
    },
    because: notThisHub,
  },
  {
    id: 'operator.hub-behind-cache',
    sentence: 'a cache between endpoint and hub gives the devices of an hour ago',
    red: otherHub,
    async make(stage, after) {
      const { devices } = await stage.admin.devices.list({ query: { includeArchived: '1' } });
      const old = devices.map((device) => ({ ...device, lastSeen: device.lastSeen - 3_600_000 }));
      const kept = JSON.stringify({ devices: old });
      const url = await hubProxy(stage, after, {
        answer: ({ path: asked }) => (asked.startsWith('/api/devices') ? kept : null),
      });
      await stage.restartMcp({ MONITOR_URL: url });
    },
    because: notThisHub,
  },
  {
    id: 'operator.hub-proxy-new-request-id',
    sentence: 'a proxy between endpoint and hub makes request ids of its own',
    red: ['hub.requests'],
    async make(stage, after) {
      const url = await hubProxy(stage, after, { headers: { 'x-request-id': 'made-by-the-proxy' } });
      await stage.restartMcp({ MONITOR_URL: url });
    },
    because: /the hub knows of no such request/,
  },
  {
    id: 'endpoint.devices-left-out',
    sentence: 'between endpoint and hub a filter leaves a device out',
    red: ['hub.answers'],
    async make(stage, after) {
      const change = withDevices((devices) => devices.slice(1));
      await stage.restartMcp({ MONITOR_URL: await hubProxy(stage, after, { change }) });
    },
    because: /1 of \d+ devices of the hub are not listed/,
  },
];

const allowances: readonly Mistake[] = [
  {
    id: 'operator.global-limit-lifted',
    sentence: 'MCP_RATE_LIMIT_GLOBAL is 1000000',
    red: ['limit.global'],
    ...mcp(notMet, { MCP_RATE_LIMIT_GLOBAL: million }),
  },
  {
    id: 'operator.subject-limit-lifted',
    sentence: 'MCP_RATE_LIMIT_SUBJECT is 1000000',
    red: ['limit.subject'],
    ...mcp(notMet, { MCP_RATE_LIMIT_SUBJECT: million }),
  },
  {
    id: 'operator.client-limit-lifted',
    sentence: 'MCP_RATE_LIMIT_CLIENT is 1000000',
    red: ['limit.client'],
    ...mcp(notMet, { MCP_RATE_LIMIT_CLIENT: million }),
  },
  {
    id: 'operator.rate-limits-lifted',
    sentence: 'all three rate limits are 1000000',
    red: rates,
    ...mcp(notMet, lifted),
  },
  {
    id: 'operator.concurrency-lifted',
    sentence: 'MCP_MAX_CONCURRENT is 1000000',
    red: ['limit.concurrency'],
    ...mcp(notMet, { MCP_MAX_CONCURRENT: million }),
  },
  {
    id: 'operator.limits-lifted',
    sentence: 'all rate limits and the limit of calls at once are lifted',
    red: ['limit.concurrency', ...rates],
    ...mcp(notMet, { ...lifted, MCP_MAX_CONCURRENT: million }),
  },
  {
    id: 'operator.limits-tenfold',
    sentence: 'all three rate limits are ten times the default: more than a burst of 70 can show',
    red: rates,
    ...mcp(notMet, {
      ...{ MCP_RATE_LIMIT_GLOBAL: '600', MCP_RATE_LIMIT_SUBJECT: '300', MCP_RATE_LIMIT_CLIENT: '300' },
    }),
  },
  {
    id: 'operator.subject-above-client',
    sentence: 'one subject may ask more than its client: its limit never acts',
    red: ['limit.subject'],
    ...mcp(notMet, { MCP_RATE_LIMIT_SUBJECT: '50' }),
  },
  {
    id: 'operator.burst-tokens-of-one-client',
    sentence: 'the tokens of MCP_GATE_LIMIT_TOKENS are those of one person',
    red: peopleLimits,
    make: (stage) => stage.set({ MCP_GATE_LIMIT_TOKENS: tokensOf(stage)[0] ?? '' }),
    because: notMet,
  },
  {
    id: 'operator.burst-token-expired',
    sentence: 'a token of MCP_GATE_LIMIT_TOKENS has expired',
    red: ['limit.concurrency', ...rates],
    make: (stage) =>
      stage.set({ MCP_GATE_LIMIT_TOKENS: [stage.settings.MCP_GATE_EXPIRED_TOKEN, ...tokensOf(stage)].join(',') }),
    because: /a token is answered with 401/,
  },
  {
    id: 'operator.trust-proxy-unset',
    sentence: 'MCP_TRUST_PROXY is not set: all clients have the address of the proxy',
    red: ['limit.address'],
    ...mcp(/a client at another address is answered with 429/, { MCP_TRUST_PROXY: '' }),
  },
  {
    id: 'operator.trusts-everybody',
    sentence: 'MCP_TRUST_PROXY covers every address, and the proxy adds to the X-Forwarded-For of its clients',
    red: ['limit.address'],
    async make(stage) {
      stage.edge.fail('append-forwarded-for');
      await stage.restartMcp({ MCP_TRUST_PROXY: '0.0.0.0/1,128.0.0.0/1' });
    },
    because: /a header that names another address is answered with 401/,
  },
  {
    id: 'proxy.keeps-forwarded-for',
    sentence: 'the proxy passes the X-Forwarded-For of its clients on',
    red: ['limit.address'],
    make: ({ edge }) => edge.fail('keep-forwarded-for'),
    because: /a header that names another address is answered with 401/,
  },
  {
    id: 'proxy.adds-forwarded-for',
    sentence: 'the proxy adds to X-Forwarded-For, and MCP_TRUST_PROXY names the network of the clients',
    red: ['limit.address'],
    async make(stage) {
      stage.edge.fail('append-forwarded-for');
      await stage.restartMcp({ MCP_TRUST_PROXY: '127.0.0.0/8' });
    },
    because: /a header that names another address is answered with 401/,
  },
];

const stores: readonly Mistake[] = [
  {
    id: 'operator.old-audit-store',
    sentence: 'MCP_GATE_AUDIT_DB_PATH names a copy of the store',
    red: ['audit.refusals', 'audit.success', 'limit.concurrency', ...rates],
    make(stage) {
      const copy = path.join(stage.folder, 'old-audit.db');
      rmSync(copy, { force: true });
      const store = new Database(stage.settings.MCP_GATE_AUDIT_DB_PATH ?? '', { readonly: true });
      store.prepare('VACUUM INTO ?').run(copy);
      store.close();
      stage.set({ MCP_GATE_AUDIT_DB_PATH: copy });
    },
    because: /malformed: no row/,
  },
  {
    id: 'endpoint.subject-sha256',
    sentence: 'the audit has SHA-256 of the subject, without a key',
    red: ['audit.pseudonyms'],
    ...stored(hashOf('subject'), ({ sub }) => sha256(sub)),
  },
  {
    id: 'endpoint.subject-and-issuer-sha256',
    sentence: 'the audit has SHA-256 of issuer and subject, without a key',
    red: ['audit.pseudonyms'],
    ...stored(hashOf('subject'), ({ sub, iss }) => sha256(`${iss}|${sub}`)),
  },
  {
    id: 'endpoint.client-sha256',
    sentence: 'the audit has SHA-256 of the client',
    red: ['audit.pseudonyms'],
    ...stored(hashOf('client'), ({ client }) => sha256(client), 'client_id_hash'),
  },
  {
    id: 'endpoint.address-sha256-base64',
    sentence: 'the audit has SHA-256 of the client address, as base64url',
    red: ['audit.pseudonyms'],
    ...stored(hashOf('address'), () => sha256('127.0.0.1', 'base64url'), 'client_ip_hash'),
  },
  {
    id: 'endpoint.address-plain',
    sentence: 'the audit has the address of the client',
    red: ['audit.pseudonyms'],
    ...stored(/address as it is/, () => '127.0.0.1', 'client_ip_hash'),
  },
  {
    id: 'endpoint.subject-plain',
    sentence: 'the audit has claims of the token',
    red: ['audit.pseudonyms'],
    ...stored(/subject as it is/, ({ sub }) => JSON.stringify({ sub }), 'scopes'),
  },
  {
    id: 'endpoint.token-stored',
    sentence: 'the audit has the access token',
    red: ['audit.pseudonyms'],
    ...stored(/token as it is/, ({ token }) => token, 'scopes'),
  },
  {
    id: 'endpoint.token-sha256',
    sentence: 'the audit has SHA-256 of the access token',
    red: ['audit.pseudonyms'],
    ...stored(hashOf('token'), ({ token }) => sha256(token), 'client_ip_hash'),
  },
  {
    id: 'endpoint.arguments-stored',
    sentence: 'the audit has arguments of the tools',
    red: ['audit.pseudonyms'],
    ...stored(/arguments as it is/, () => '{"include_archived":true}', 'tool_name'),
  },
  {
    id: 'endpoint.empty-audit-key',
    sentence: 'the key of the pseudonyms is empty',
    red: ['audit.pseudonyms'],
    ...stored(hashOf('subject'), ({ sub, iss }) =>
      createHmac('sha256', '').update(`subject:${iss}|${sub}`).digest('hex'),
    ),
  },
  {
    id: 'endpoint.second-table',
    sentence: 'the store keeps requests as they came in another table',
    red: ['audit.pseudonyms'],
    make(stage, after) {
      const store = new Database(stage.settings.MCP_GATE_AUDIT_DB_PATH ?? '');
      store.exec('CREATE TABLE requests (line BLOB)');
      store.close();
      const line = `POST /mcp HTTP/1.1\r\nAuthorization: Bearer ${stage.settings.MCP_GATE_READ_TOKEN}`;
      writing(stage, after, `INSERT INTO requests VALUES (CAST('${line}' AS BLOB))`, 'DROP TABLE requests');
    },
    because: /token as it is/,
  },
];

export const limitsMistakes: readonly Mistake[] = [...hubs, ...allowances, ...stores];
