// One named fault for each check of the gate: what an operator, a proxy, an issuer or a file can have wrong.

import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { callTool } from '#gate/mcp-messages.ts';
import { createHttp } from '#gate/target.ts';
import { writeText } from '#kernel/files.ts';
import { close, listen } from '#kernel/listening.ts';
import type { Stage } from '../../scripts/stage.ts';
import { takeTokens } from '../../scripts/stage-tokens.ts';
import { collectedOn, collectItem } from './collected.ts';

/** Puts the fault in; what has to be closed after the run goes on `after`. */
export type Break = (stage: Stage, after: AsyncDisposableStack) => unknown;

/** Restricts a fault of the edge to the first request of this name. */
const only = (request: string) => ({ command: `gate-${request}-`, times: 1 });

const evidence =
  (item: string, change: Record<string, unknown>): Break =>
  ({ evidence: file }) => {
    const document = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, unknown>>;
    const next = item === '' ? { ...document, ...change } : { ...document, [item]: { ...document[item], ...change } };
    writeText(file, JSON.stringify(next));
  };

/** A good token in place of one that must be refused, in the requests of this name. */
const goodToken =
  (request: string, token = 'MCP_GATE_WRITE_TOKEN'): Break =>
  ({ edge, settings }) =>
    edge.control.fail('accept-any-token', { ...only(request), value: settings[token] ?? '' });

const rewrite =
  (value: string, request?: string): Break =>
  ({ edge }) =>
    edge.control.fail('rewrite-body', { value, ...(request === undefined ? {} : only(request)) });

const newRequestId =
  (request: string): Break =>
  ({ edge }) =>
    edge.control.fail('new-request-id', only(request));

/** Other tokens of the issuer, one of which takes the place of one of the gate's. */
const otherToken =
  (name: string, made: (stage: Stage) => Promise<string> | string): Break =>
  async (stage) =>
    stage.set({ [name]: await made(stage) });

async function freshTokens(stage: Stage): Promise<Record<string, string>> {
  return takeTokens(stage.tokenSource);
}

/** The hub as another program shows it: `change` makes the answer of one path another; null: 503. */
export async function hubThrough(
  stage: Stage,
  after: AsyncDisposableStack,
  where: string,
  change: (text: string) => string | null,
): Promise<void> {
  const server = http.createServer(async (request, response) => {
    const { url = '/', headers } = request;
    const token = String(headers['x-admin-token'] ?? '');
    const answer = await fetch(new URL(url, stage.hub.url), { headers: { 'x-admin-token': token } });
    const text = await answer.text();
    const changed = url === where ? change(text) : text;
    const type = answer.headers.get('content-type') ?? 'text/plain';
    response.writeHead(changed === null ? 503 : answer.status, { 'content-type': type }).end(changed ?? '');
  });
  stage.set({ MCP_GATE_MONITOR_URL: `http://${await listen(server)}` });
  after.defer(() => close(server));
}

/** The hub with one path out of order. */
const hubWithout =
  (broken: string): Break =>
  (stage, after) =>
    hubThrough(stage, after, broken, () => null);

/** Check id → fault. */
export const faults: Readonly<Record<string, Break>> = {
  'evidence.signature': (stage) => stage.set({ MCP_GATE_EVIDENCE_KEY_PATH: path.join(stage.folder, 'stranger.pub') }),
  'evidence.document': evidence('', { publishDns: true }),
  'evidence.directIngress': evidence('directIngress', { portsClosed: false }),
  'evidence.reverseProxyLimits': evidence('reverseProxyLimits', { passed: false }),
  'evidence.rollback': evidence('rollback', { testedAt: '2026-01-01T00:00:00Z' }),
  'evidence.credentialRotation': evidence('credentialRotation', { commit: 'f'.repeat(40) }),
  'evidence.authorizationServerRestore': evidence('authorizationServerRestore', { typo: true }),
  'evidence.jwksOutage': evidence('jwksOutage', { coldProcess: false }),
  'evidence.refreshRevocation': evidence('refreshRevocation', { accessTokenLifetimeSeconds: 1200 }),
  'evidence.revocation': evidence('revocation', { revokedRefreshRejected: false }),
  'evidence.clientCompatibility': evidence('clientCompatibility', { legacyClient: false }),
  'evidence.idpCompatibility': evidence('idpCompatibility', { passed: false }),
  'evidence.protocolEras': (stage) =>
    collectItem(collectedOn(stage), 'clientCompatibility', { fields: { clientAProtocolVersion: '2025-11-25' } }),
  'issuer.metadata': ({ issuer }) => issuer.control.fail('wrong-issuer', { value: 'discovery' }),
  'issuer.pkce': ({ issuer }) => issuer.control.fail('no-pkce-metadata'),
  'tokens.claims': otherToken(
    'MCP_GATE_READ_TOKEN',
    async (stage) => (await freshTokens(stage)).MCP_GATE_WRITE_TOKEN ?? '',
  ),
  'tokens.lifetime': otherToken('MCP_GATE_READ_TOKEN', async (stage) => {
    stage.issuer.control.fail('long-lived-token', { value: 1200 });
    const { MCP_GATE_READ_TOKEN = '' } = await freshTokens(stage);
    stage.issuer.control.clearFaults();
    return MCP_GATE_READ_TOKEN;
  }),
  'tokens.signatures': otherToken('MCP_GATE_EXPIRED_TOKEN', ({ settings }) => {
    const [head, claims, signature = ''] = (settings.MCP_GATE_EXPIRED_TOKEN ?? '').split('.');
    return [head, claims, signature.split('').reverse().join('')].join('.');
  }),
  'target.resolves': (stage) => stage.set({ MCP_GATE_CONNECT_ADDRESS: 'no-such-host.invalid' }),
  'target.certificate': ({ edge }) => edge.control.fail('wrong-certificate'),
  'target.answers': ({ edge }) => edge.control.fail('bad-gateway', { command: 'gate-reach-' }),
  'metadata.root': ({ edge }) => edge.control.fail('drop-metadata-root'),
  'metadata.path': ({ edge }) => edge.control.fail('drop-metadata-path'),
  'token.missing': ({ edge }) => edge.control.fail('strip-challenge', { command: 'gate-no-token-' }),
  'token.malformed': goodToken('malformed'),
  'token.expired': goodToken('expired'),
  'token.wrong-audience': goodToken('wrong-audience'),
  'token.revoked': goodToken('revoked'),
  'era.legacy': rewrite('2025-11-25 => 2025-01-01', 'initialize'),
  'era.modern': rewrite('2026-07-28 => 2026-01-01', 'discover'),
  'era.sameTools': rewrite('get_new_nodes => get_old_nodes', 'tools-legacy'),
  'error.mismatch': rewrite('-32020 => -32000', 'mismatch'),
  'error.unsupported': rewrite('-32022 => -32000', 'unsupported'),
  'scope.read': rewrite('"content" => "contents"', 'read'),
  'scope.write-denied': goodToken('write-denied'),
  'scope.write-visible': rewrite('set_device_note => set_device_memo', 'visible'),
  'scope.write-hidden': goodToken('hidden'),
  'hub.health': hubWithout('/healthz'),
  'hub.ready': hubWithout('/readyz'),
  'hub.routers': hubWithout('/api/routers'),
  'release.endpoint': async (stage) => {
    await stage.restartMcp({ GATEHOUSE_COMMIT: 'f'.repeat(40) });
    await warm(stage);
  },
  'release.hub': hubWithout('/api/status'),
  'limit.burst': ({ edge }) => edge.control.fail('swallow-429'),
  'audit.integrity': (stage) => {
    const file = path.join(stage.folder, 'other.db');
    writeFileSync(file, 'no database at all, but long enough to look like one '.repeat(100));
    stage.set({ MCP_GATE_AUDIT_DB_PATH: file });
  },
  'audit.refusals': newRequestId('malformed'),
  'audit.success': newRequestId('read'),
};

/** A first request, so that the MCP server has keys and metadata of the issuer before either misbehaves. */
export async function warm({ settings }: Stage): Promise<void> {
  const ca = readFileSync(settings.MCP_GATE_CA_PATH ?? '', 'utf8');
  await using http = createHttp({ timeoutMs: 10_000, ca }, { address: '127.0.0.1', family: 4 });
  const { status } = await http.ask('warm', new URL(settings.MCP_GATE_ENDPOINT ?? ''), {
    ...callTool('get_devices', {}),
    token: settings.MCP_GATE_READ_TOKEN ?? '',
  });
  if (status !== 200) {
    throw new Error(`the stage answers ${status} to a good token`);
  }
}
