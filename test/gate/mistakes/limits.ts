// How the mistakes of gate/mistakes/limits.ts are made on the stage.
import { createHash, createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { decodeJwt } from 'jose';
import type { Stage } from '../../../scripts/stage.ts';
import { dataCopy, hubProxy, secondHub, withDevices } from '../other-hubs.ts';
import type { Made } from './made.ts';

const notThisHub = /devices (?:are not those of|of) the hub/;
const notMet = /requests of \d people and \d clients did not meet it/;

const mcp = (because: RegExp, settings: Readonly<Record<string, string>>): Made => ({
  make: (stage) => stage.restartMcp(settings),
  because,
});

const hubs: Readonly<Record<string, Made>> = {
  'operator.empty-second-hub': {
    async make(stage, after) {
      const hub = await secondHub(stage, after);
      await stage.restartMcp({ MONITOR_URL: hub.url, MCP_SERVICE_TOKEN: hub.serviceToken });
    },
    because: notThisHub,
  },
  'operator.second-hub-same-router': {
    async make(stage, after) {
      const hub = await secondHub(stage, after, { router: true });
      await stage.restartMcp({ MONITOR_URL: hub.url, MCP_SERVICE_TOKEN: hub.serviceToken });
    },
    because: notThisHub,
  },
  'operator.hub-copy': {
    async make(stage, after) {
      const hub = await secondHub(stage, after, { dataDir: dataCopy(stage) });
      await stage.restartMcp({ MONITOR_URL: hub.url });
    },
    because: notThisHub,
  },
  'operator.gate-asks-other-hub': {
    async make(stage, after) {
      const hub = await secondHub(stage, after, { router: true });
      stage.set({ MCP_GATE_MONITOR_URL: hub.url, MCP_GATE_MONITOR_TOKEN: hub.adminToken });
    },
    because: notThisHub,
  },
  'operator.hub-behind-cache': {
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
  'operator.hub-proxy-new-request-id': {
    async make(stage, after) {
      const url = await hubProxy(stage, after, { headers: { 'x-request-id': 'made-by-the-proxy' } });
      await stage.restartMcp({ MONITOR_URL: url });
    },
    because: /the hub knows of no such request/,
  },
  'endpoint.devices-left-out': {
    async make(stage, after) {
      const change = withDevices((devices) => devices.slice(1));
      await stage.restartMcp({ MONITOR_URL: await hubProxy(stage, after, { change }) });
    },
    because: /1 of \d+ devices of the hub are not listed/,
  },
};

const million = '1000000';
const lifted = { MCP_RATE_LIMIT_GLOBAL: million, MCP_RATE_LIMIT_SUBJECT: million, MCP_RATE_LIMIT_CLIENT: million };
const tokensOf = ({ settings }: Stage) => (settings.MCP_GATE_LIMIT_TOKENS ?? '').split(' ');

const allowances: Readonly<Record<string, Made>> = {
  'operator.global-limit-lifted': mcp(notMet, { MCP_RATE_LIMIT_GLOBAL: million }),
  'operator.subject-limit-lifted': mcp(notMet, { MCP_RATE_LIMIT_SUBJECT: million }),
  'operator.client-limit-lifted': mcp(notMet, { MCP_RATE_LIMIT_CLIENT: million }),
  'operator.rate-limits-lifted': mcp(notMet, lifted),
  'operator.concurrency-lifted': mcp(notMet, { MCP_MAX_CONCURRENT: million }),
  'operator.limits-lifted': mcp(notMet, { ...lifted, MCP_MAX_CONCURRENT: million }),
  'operator.limits-tenfold': mcp(notMet, {
    ...{ MCP_RATE_LIMIT_GLOBAL: '600', MCP_RATE_LIMIT_SUBJECT: '300', MCP_RATE_LIMIT_CLIENT: '300' },
  }),
  'operator.subject-above-client': mcp(notMet, { MCP_RATE_LIMIT_SUBJECT: '50' }),
  'operator.burst-tokens-of-one-client': {
    make: (stage) => stage.set({ MCP_GATE_LIMIT_TOKENS: tokensOf(stage)[0] ?? '' }),
    because: notMet,
  },
  'operator.burst-token-expired': {
    make: (stage) =>
      stage.set({ MCP_GATE_LIMIT_TOKENS: [stage.settings.MCP_GATE_EXPIRED_TOKEN, ...tokensOf(stage)].join(',') }),
    because: /a token is answered with 401/,
  },
  'operator.trust-proxy-unset': mcp(/a client at another address is answered with 429/, { MCP_TRUST_PROXY: '' }),
  'operator.trusts-everybody': {
    async make(stage) {
      stage.edge.control.fail('append-forwarded-for');
      await stage.restartMcp({ MCP_TRUST_PROXY: '0.0.0.0/1,128.0.0.0/1' });
    },
    because: /a header that names another address is answered with 401/,
  },
  'proxy.keeps-forwarded-for': {
    make: ({ edge }) => edge.control.fail('keep-forwarded-for'),
    because: /a header that names another address is answered with 401/,
  },
  'proxy.adds-forwarded-for': {
    async make(stage) {
      stage.edge.control.fail('append-forwarded-for');
      await stage.restartMcp({ MCP_TRUST_PROXY: '127.0.0.0/8' });
    },
    because: /a header that names another address is answered with 401/,
  },
};

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

const stored = (because: RegExp, value: (known: Known) => string, column = 'subject_hash'): Made => ({
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

const stores: Readonly<Record<string, Made>> = {
  'operator.old-audit-store': {
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
  'endpoint.subject-sha256': stored(hashOf('subject'), ({ sub }) => sha256(sub)),
  'endpoint.subject-and-issuer-sha256': stored(hashOf('subject'), ({ sub, iss }) => sha256(`${iss}|${sub}`)),
  'endpoint.client-sha256': stored(hashOf('client'), ({ client }) => sha256(client), 'client_id_hash'),
  'endpoint.address-sha256-base64': stored(hashOf('address'), () => sha256('127.0.0.1', 'base64url'), 'client_ip_hash'),
  'endpoint.address-plain': stored(/address as it is/, () => '127.0.0.1', 'client_ip_hash'),
  'endpoint.subject-plain': stored(/subject as it is/, ({ sub }) => JSON.stringify({ sub }), 'scopes'),
  'endpoint.token-stored': stored(/token as it is/, ({ token }) => token, 'scopes'),
  'endpoint.token-sha256': stored(hashOf('token'), ({ token }) => sha256(token), 'client_ip_hash'),
  'endpoint.arguments-stored': stored(/arguments as it is/, () => '{"include_archived":true}', 'tool_name'),
  'endpoint.empty-audit-key': stored(hashOf('subject'), ({ sub, iss }) =>
    createHmac('sha256', '').update(`subject:${iss}|${sub}`).digest('hex'),
  ),
  'endpoint.second-table': {
    make(stage, after) {
      const store = new Database(stage.settings.MCP_GATE_AUDIT_DB_PATH ?? '');
      store.exec('CREATE TABLE requests (line BLOB)');
      store.close();
      const line = `POST /mcp HTTP/1.1\r\nAuthorization: Bearer ${stage.settings.MCP_GATE_READ_TOKEN}`;
      writing(stage, after, `INSERT INTO requests VALUES (CAST('${line}' AS BLOB))`, 'DROP TABLE requests');
    },
    because: /token as it is/,
  },
};

export const limitsMade: Readonly<Record<string, Made>> = { ...hubs, ...allowances, ...stores };
