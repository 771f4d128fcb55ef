// The profile resource-server, as docs/gate.md says: the official SDK's server behind the nginx of the document, with the
// tokens of an issuer, from the questions of `gate init` to a verified report.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Report } from '#gate/report.ts';
import { notApplicableReasons } from '#gate/resource-server.ts';
import { writeText } from '#kernel/files/files.ts';
import { freePort } from '#kernel/http/listening.ts';
import { startNameServer } from '#simulators/dns/name-server.ts';
import { startIssuer } from '#simulators/oidc/issuer.ts';
import { createAuthority } from '#simulators/support/certificates.ts';
import { createShiftedClock } from '#simulators/support/shifted-clock.ts';
import { envText } from '../../scripts/env-text.ts';
import { takeToken } from '../../scripts/stage-tokens.ts';
import { blocksIn } from '../support/documents/blocks.ts';
import { startNginxWith } from '../support/nginx.ts';
import { startProgram } from '../support/program.ts';
import { withPrograms } from '../support/real-programs.ts';
import { type SdkServerOptions, startSdkServer } from '../support/sdk-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const name = 'mcp.bookshop.test';
const control = 'control.bookshop.test';
const scope = 'network.read';

/** The text of the only block of this class in the section. */
function findBlock(type: 'text' | 'env'): string {
  const found = blocksIn('docs/gate.md').filter((block) => block.class === type && block.heading.startsWith('8. '));
  expect(found).toHaveLength(1);
  return found[0]?.text ?? '';
}

/** The words behind `gatehouse gate` of each command of the section, in their order. */
const commands = blocksIn('docs/gate.md')
  .filter((block) => block.class === 'sh' && block.heading.startsWith('8. '))
  .flatMap(({ text }) => text.trimEnd().split('\n'))
  .map((line) => line.replace(/^gatehouse gate /, '').split(' '));

async function openBookshop(about: Pick<SdkServerOptions, 'isStateful' | 'checksAudience' | 'holdsDelete'>) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const file = (word: string, text?: string) => {
    const where = path.join(folder.path, word);
    if (text !== undefined) {
      writeText(where, text);
    }
    return where;
  };
  const authority = await createAuthority();
  const clock = createShiftedClock();
  const lifetimeMs = 600_000;
  const certificate = await authority.issue(['127.0.0.1']);
  const issuer = opened.use(await startIssuer({ certificate, clock, accessTokenTtlMs: lifetimeMs }));
  const dns = opened.use(await startNameServer({ zone: { [control]: { A: ['192.0.2.53'] } } }));
  const port = await freePort();
  const resource = `https://${name}:${port}/mcp`;
  const ca = authority.cert;
  const server = opened.use(await startSdkServer({ resource, issuer: issuer.issuer, ca, scope, ...about }));
  const tls = await authority.issue([name]);
  opened.use(
    await startNginxWith(port, findBlock('text'), {
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      'mcp.example.net': name,
      '/etc/nginx/tls/mcp.crt': file('tls.crt', tls.cert),
      '/etc/nginx/tls/mcp.key': file('tls.key', tls.key),
      'http://127.0.0.1:3001': server.url.origin,
      // No request is let in again while the run is under way, however long it takes.
      'rate=60r/m': 'rate=1r/m',
    }),
  );
  const source = { issuer, clock, resource, scopes: { read: scope, write: 'notes.write' }, ca, lifetimeMs };
  const tokens = {
    EXPIRED: await takeToken(source, { expiredForMs: 120_000 }),
    WRONG_AUDIENCE: await takeToken(source, { resource: `https://${name}/other` }),
    READ: await takeToken(source),
  };
  const ofTheTest = {
    MCP_GATE_CA_PATH: file('ca.pem', ca),
    MCP_GATE_DNS_SERVER: dns.server,
    MCP_GATE_DNS_CONTROL_NAME: control,
    MCP_GATE_HTTP_PORT: String(await freePort()),
  };
  const start = (words: readonly string[], input?: string) => {
    const program = [path.resolve('src/main.ts'), 'gate', ...words];
    return startProgram(program, { cwd: folder.path, ...(input === undefined ? {} : { input }) });
  };
  const gate = async (words: readonly string[], input?: string) => {
    await using running = start(words, input);
    const { code } = await running.ended;
    return { code, stdout: running.stdout(), stderr: running.stderr() };
  };
  const answers = [resource, issuer.issuer, '127.0.0.1', scope];
  expect(await gate(commands[0] ?? [], `${answers.join('\n')}\n`)).toMatchObject({ code: 0 });
  const written = parseEnv(readFileSync(file('gate.env'), 'utf8')) as Record<string, string>;
  expect(Object.keys(written)).toEqual(Object.keys(parseEnv(findBlock('env'))));
  const filled = Object.entries(tokens).map(([word, token]) => [`MCP_GATE_${word}_TOKEN`, token]);
  file('gate.env', envText({ ...written, ...ofTheTest, ...Object.fromEntries(filled) }));
  const whole = opened.move();
  return {
    resource,
    server,
    report: file('report.json'),
    /** `gatehouse gate`, in the folder of the files. */
    gate: (...words: string[]) => gate(words),
    /** Starts it there. */
    start: (...words: string[]) => start(words),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

const outcomesOf = ({ findings }: Report) => Object.fromEntries(findings.map(({ id, outcome }) => [id, outcome]));

withPrograms('nginx-light', ['nginx'], () => {
  describe('a server of the official SDK', () => {
    it('holds: from the document to a report that is verified, and is no permission to publish', async () => {
      await using shop = await openBookshop({ isStateful: true, checksAudience: true });
      const [, runWords = [], verifyWords = []] = commands;
      const run = await shop.gate(...runWords);
      expect(run.stdout).toContain('checks that apply hold: resource_server_checks_hold');
      expect(run).toMatchObject({ code: 0, stderr: '' });
      const report = JSON.parse(readFileSync(shop.report, 'utf8')) as Report;
      expect(report).toMatchObject({ status: 'resource_server_checks_hold', profile: 'resource-server' });
      expect(report.checks).toMatchObject({
        evidence: 'not-applicable',
        audit: 'not-applicable',
        localCollection: 'not-applicable',
        tokenRejection: 'pass',
        rateLimit: 'pass',
        protocolRevisions: { '2025-11-25': 'pass', '2026-07-28': 'not-applicable' },
      });
      const excluded = Object.keys(notApplicableReasons);
      const applying = report.findings.filter(
        ({ id }) => !excluded.some((one) => id === one || id.startsWith(`${one}.`)),
      );
      expect(
        applying.filter(({ outcome }) => outcome !== 'pass').map(({ id, because }) => `${id}: ${because}`),
      ).toEqual([
        'token.near-audience: MCP_GATE_NEAR_AUDIENCE_TOKEN is not set: this was not tried',
        'token.audience-list: MCP_GATE_AUDIENCE_LIST_TOKEN is not set: this was not tried',
        'era.modern: not applicable: the endpoint does not speak this era',
        expect.stringMatching(/^error\.mismatch: not applicable: .* 2026-07-28, which the endpoint does not speak/),
        expect.stringMatching(/^error\.unsupported: not applicable: /),
        'scope.read-required: MCP_GATE_WRITE_ONLY_TOKEN is not set: this was not tried',
      ]);
      expect(new Set(shop.server.called)).toEqual(new Set(['list_books']));
      expect(shop.server.opened).not.toEqual([]);
      expect(shop.server.ended.toSorted()).toEqual(shop.server.opened.toSorted());

      const verify = verifyWords.map((word) => word.replace('https://mcp.example.net/mcp', shop.resource));
      const verified = await shop.gate(...verify);
      expect(verified).toMatchObject({
        code: 3,
        stdout: expect.stringMatching(
          /nothing speaks against it[\s\S]*Profile resource-server: \d+ checks do not apply/,
        ),
      });
      expect(verified.stdout).not.toContain('Not compared');
      expect(await shop.gate('verify-report', 'report.json')).toMatchObject({
        code: 1,
        stdout: 'it is of the profile resource-server, not of publication\n',
      });
      expect(await shop.gate('collect', 'jwks-outage', '--env', 'gate.env', '--mcp-env', 'x')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/about a deployment of Gatehouse/),
      });
      const replay = ['refresh-replay', '--env', 'gate.env', '--automatic', '--expect', 'reject-replay'];
      expect(await shop.gate('collect', ...replay)).toMatchObject({
        code: 0,
        stdout: 'refreshRevocation: passed. No evidence was written: this profile asks for none of it\n',
      });
      // The same settings are not enough for a deployment of Gatehouse.
      expect(await shop.gate('run', '--env', 'gate.env', '--profile', 'publication')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/MCP_GATE_\w+: is not set/),
      });
    });

    it.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)('stopped by %s: it ends the sessions that it opened, and ends with %i', async (signal, code) => {
      await using shop = await openBookshop({ isStateful: true, checksAudience: true });
      await using run = shop.start('run', '--env', 'gate.env');
      await expect.poll(() => shop.server.opened.length, { timeout: 30_000 }).toBeGreaterThan(0);
      run.kill(signal);
      expect(await run.ended).toEqual({ code, signal: null });
      expect(run.stderr()).toMatch(
        new RegExp(`^gatehouse gate run: stopped by ${signal} before \\d+ checks were judged: .*; run it again\n$`),
      );
      expect(shop.server.ended.toSorted()).toEqual(shop.server.opened.toSorted());
      expect(JSON.parse(readFileSync(shop.report, 'utf8'))).toMatchObject({ status: 'failed' });
    });

    it('stopped where nobody answers the end of a session: it ends by itself, and at once by a second Ctrl-C', async () => {
      await using shop = await openBookshop({ isStateful: true, checksAudience: true, holdsDelete: true });
      const { server } = shop;
      for (const isPatient of [true, false]) {
        await using run = shop.start('run', '--env', 'gate.env');
        const before = server.opened.length;
        await expect.poll(() => server.opened.length, { timeout: 30_000 }).toBeGreaterThan(before);
        run.kill('SIGINT');
        // On a busy machine a second session was opened before the signal arrived.
        await expect.poll(() => server.opened.filter((id) => !server.asked.includes(id))).toEqual([]);
        let isOver = false;
        const ended = run.ended.finally(() => {
          isOver = true;
        });
        if (!isPatient) {
          await expect
            .poll(() => {
              run.kill('SIGINT');
              return isOver;
            })
            .toBe(true);
        }
        expect(await ended).toEqual({ code: 130, signal: null });
        const sessions = server.opened.length - before;
        const left = `the server gave no answer when it was asked to end ${sessions} session(s): they may stay open until it drops them`;
        const [first, second] = run.stderr().split('\n');
        expect(first).toBe(isPatient ? `gatehouse gate run: ${left}` : '');
        expect(second).toEqual(
          isPatient ? expect.stringMatching(/^gatehouse gate run: stopped by SIGINT before \d+ checks/) : undefined,
        );
      }
    });

    it('fails where it takes tokens that were issued for another server', async () => {
      await using shop = await openBookshop({ isStateful: false, checksAudience: false });
      expect((await shop.gate('run', '--env', 'gate.env')).code).toBe(1);
      const report = JSON.parse(readFileSync(shop.report, 'utf8')) as Report;
      expect(report).toMatchObject({ status: 'failed', failedChecks: ['token.wrong-audience'] });
      expect(outcomesOf(report)).toMatchObject({ 'scope.read': 'pass', 'limit.address': 'pass' });
    });
  });
});
