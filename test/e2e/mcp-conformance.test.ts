// The official conformance suite against the endpoint, in both revisions, with a list of what cannot pass and why.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { mcpToken, startMcpLab } from '../support/mcp-lab.ts';
import { root, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startTokenProxy } from '../support/token-proxy.ts';
import { verifies } from '../support/verifies.ts';

const suite = path.join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const expectedFailures = (revision: string) => path.join(root, `test/e2e/conformance/expected-${revision}.yaml`);

/** Runs the suite against a fresh endpoint; `what` selects scenarios. */
async function runSuite(what: readonly string[]) {
  const plenty = { MCP_RATE_LIMIT_GLOBAL: '100000', MCP_RATE_LIMIT_SUBJECT: '100000', MCP_RATE_LIMIT_CLIENT: '100000' };
  await using scene = await startMcpLab({ env: plenty });
  await using proxy = await startTokenProxy(scene.url, mcpToken);
  using folder = temporaryFolder();
  const { code, stdout, stderr } = await runProgram(
    [suite, 'server', '--url', proxy.url.href, '--output-dir', folder.path, ...what],
    { env: { NO_COLOR: '1' } },
  );
  return { code, output: stdout + stderr };
}

describe.each(['2025-11-25', '2026-07-28'])('%s', (revision) => {
  test('every check passes but those that are listed', async () => {
    const { code, output } = await runSuite([
      ...['--requirements', revision],
      ...['--expected-failures', expectedFailures(revision)],
    ]);
    expect(code, output).toBe(0);
    expect(output).toContain('dns-rebinding-protection: 2 passed, 0 failed');
  });

  test('each entry of the list has its reason', () => {
    const [, ...lines] =
      readFileSync(expectedFailures(revision), 'utf8')
        .trim()
        .split(/^server:$/m)[1]
        ?.split('\n') ?? [];
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/^ {2}- [a-z0-9-]+:[a-z0-9-]+ # \S.{19,}$/);
    }
  });

  test('an entry that is out of date fails', async () => {
    using folder = temporaryFolder();
    const list = path.join(folder.path, 'expected.yaml');
    writeFileSync(list, `${readFileSync(expectedFailures(revision), 'utf8')}  - tools-list:tools-list # passes\n`);
    const { code, output } = await runSuite(['--requirements', revision, '--expected-failures', list]);
    expect(code).toBe(1);
    expect(output).toMatch(/stale.*tools-list:tools-list/is);
  });
});

verifies('mcp.era.discover', 'the suite finds headers and bodies that differ answered with -32020', async () => {
  const { code, output } = await runSuite(['--scenario', 'http-header-validation', '--spec-version', '2026-07-28']);
  expect(code, output).toBe(0);
  expect(output).toContain('Passed: 14/14, 0 failed, 0 warnings');
});
