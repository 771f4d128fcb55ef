// Every tool, every failure, with words that must never turn up: not in what the process prints, not in an audit, not in a file.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { tools } from '#mcp/tools.ts';
import { startIssuer } from '#simulators/oidc/issuer.ts';
import { openApplication } from '../support/issuer-client.ts';
import { startLab } from '../support/lab.ts';
import { legacy, modern, post } from '../support/mcp-lab.ts';
import { seedLog } from '../support/mcp-seed.ts';
import { root, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const argument = 'marked-argument.example';
const note = 'marked body of a note';
const mac = '02:00:5e:10:00:01';
const auditKey = 'marked-key-of-the-pseudonyms-0123456789';

/** Every file below, in full. */
function contentsOf(folder: string, except: RegExp): [string, string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !except.test(name) && statSync(path.join(folder, name)).isFile())
    .map((name) => [name, readFileSync(path.join(folder, name)).toString('latin1')]);
}

/** What the process printed and stored, and the hub's audit of it; the secrets, whose values are made on the way. */
let seen: [string, string][];
let kept: [string, string][];
let tokens: string[];

beforeAll(async () => {
  using folder = temporaryFolder();
  await using lab = await startLab();
  await seedLog(lab);
  await using issuer = await startIssuer();
  const identity = await lab.as.identity(['network.read', 'notes.write']);
  const port = await freePort();
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const env = {
    MONITOR_URL: lab.url.href,
    MCP_PORT: String(port),
    MCP_AUTH_MODE: 'oauth',
    MCP_OAUTH_ISSUER: issuer.issuer,
    MCP_OAUTH_RESOURCE: url.href,
    MCP_OAUTH_READ_SCOPE: 'network.read',
    MCP_OAUTH_NOTES_WRITE_SCOPE: 'notes.write',
    MCP_SERVICE_TOKEN: identity.token,
    MCP_AUDIT_HMAC_KEY: auditKey,
    MCP_RATE_LIMIT_GLOBAL: '1000',
    MCP_RATE_LIMIT_SUBJECT: '40',
    MCP_RATE_LIMIT_CLIENT: '1000',
    LOG_LEVEL: 'debug',
  };
  await using program = startProgram([path.join(root, 'src/main.ts'), 'mcp'], { env, cwd: folder.path });
  await program.printed(/ready/);
  const both = { scope: 'network.read notes.write', resource: url.href };
  const { access_token: jwt } = await (await openApplication(issuer, both)).login();
  const [, claims = '', signature = ''] = jwt.split('.');
  const ask = (message: unknown, headers: Record<string, string> = {}) =>
    post(url, message, { authorization: `Bearer ${jwt}`, ...headers });
  const wrongKind = { mac, note, dst: argument };

  for (const { name } of tools) {
    const good = name === 'set_device_note' ? { src: '192.168.1.10', note } : {};
    const call = { name, arguments: name === 'query_connections' ? { dst: argument, src: mac } : good };
    await ask(legacy('tools/call', call));
    const { message, headers } = modern('tools/call', { name, arguments: wrongKind });
    await ask(message, headers);
  }
  await ask(legacy('tools/call', { name: argument, arguments: { note } }));
  await ask(legacy(argument, { note, mac }));
  await ask(`{"${note}": ${argument}`);
  await ask([legacy('tools/list'), { note, mac }]);
  await ask(legacy('tools/list'), { origin: `https://${argument}` });
  await ask(legacy('tools/list'), { authorization: `Bearer ${jwt.slice(0, -3)}AAA` });
  await ask(legacy('tools/list'), { 'mcp-protocol-version': argument });
  await post(new URL(`/mcp/${argument}?token=${jwt}`, url), { note });
  await lab.as.admin.auth.revokeIdentity({ params: { id: identity.id }, body: {} });
  await ask(legacy('tools/call', { name: 'query_connections', arguments: { dst: argument } }));
  issuer.fail('discovery-not-json');
  await issuer.rotateKey();
  const renewed = await openApplication(issuer, both).catch(() => null);
  expect(renewed).toBeNull();
  for (let at = 0; at < 20; at += 1) {
    await ask(legacy('tools/list'));
  }
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });

  tokens = [identity.token, lab.adminToken, auditKey, jwt, claims, signature];
  const hub = await lab.as.admin.auth.auditEvents({ query: { limit: '500' } });
  seen = [
    ['stdout', program.stdout()],
    ['stderr', program.stderr()],
    ["the hub's audit", JSON.stringify(hub)],
    ...contentsOf(folder.path, /^$/),
  ];
  expect(seen.map(([name]) => name)).toContain('.monitor-mcp-audit.db');
  expect(program.stderr()).toContain('tool failed');
  await lab.settled();
  kept = contentsOf(lab.dataDir, /^$/);
}, 600_000);

const found = (files: readonly [string, string][], words: readonly string[]) =>
  files.flatMap(([name, text]) => words.filter((word) => text.includes(word)).map((word) => `${name}: ${word}`));

verifies.each(
  [
    { ids: 'mcp.audit.never-arguments', what: 'arguments of tools', words: () => [argument] },
    { ids: 'mcp.audit.never-mac', what: 'MAC addresses', words: () => [mac] },
    { ids: 'mcp.audit.never-notes', what: 'bodies of notes', words: () => [note] },
    { ids: 'mcp.audit.never-tokens', what: 'access tokens, and parts of them', words: () => tokens },
    { ids: 'mcp.audit.never-bodies', what: 'answers of the hub', words: () => ['files.example.net'] },
    { ids: 'mcp.audit.never-provider-text', what: 'text of the identity provider', words: () => ['It works'] },
  ],
  ({ words }) => {
    expect(found(seen, words())).toEqual([]);
  },
);

test('nor who asked; and the hub keeps no token', () => {
  expect(found(seen, ['user-1', 'gatehouse-mcp'])).toEqual([]);
  expect(found(kept, tokens)).toEqual([]);
});
