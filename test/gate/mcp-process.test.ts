// An MCP process of an experiment's own that does not come up: the reason is said, and nothing of it is left.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CollectContext } from '#gate/collect/collector.ts';
import { launchMcp, requireMcpEnvFile, startMcpProcess } from '#gate/collect/mcp-process.ts';
import { createTranscript } from '#gate/collect/transcript.ts';
import { GateError } from '#gate/private-file.ts';
import { writeText } from '#kernel/files/files.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { envText } from '../../scripts/env-text.ts';
import { watchLeaks } from '../support/leak-guard.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder.path);
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

/** Of a process that waits for its hub, and would for a minute. */
const waiting = () => ({
  MONITOR_URL: 'http://127.0.0.1:9',
  MCP_PORT: '1',
  MCP_TOKEN: 'the-token-of-mcp-clients',
  MCP_SERVICE_TOKEN: `svc_${'0'.repeat(64)}`,
  MCP_AUDIT_HMAC_KEY: 'k'.repeat(48),
  MCP_AUDIT_DB_PATH: path.join(folder.path, 'audit.db'),
});

const context = () => {
  const clock = new ManualClock();
  const transcript = createTranscript(clock.now, () => {});
  const { signal } = new AbortController();
  return { clock, signal, transcript, config: {} } as unknown as CollectContext & { clock: ManualClock };
};

async function failureOf(started: Promise<unknown>): Promise<unknown> {
  return started.then(
    () => new Error('it came up'),
    (error: unknown) => error,
  );
}

test('one that ends at its start is told from one that runs, and its folder is removed', async () => {
  const file = path.join(folder.path, 'mcp.env');
  writeText(file, 'MCP_AUTH_MODE=oauth\n');
  const given = context();
  const failure = await failureOf(startMcpProcess(file, given));
  expect(failure).toBeInstanceOf(GateError);
  expect(failure).toMatchObject({ message: 'the MCP process ended at its start with code 1: try it by hand' });
  expect(readdirSync(folder.path)).toEqual(['mcp.env']);
  expect(given.clock.sleeping).toBe(0);
  expect(given.transcript.steps).toEqual([]);
});

test('one that takes longer than 90 seconds is stopped', async () => {
  await using _watch = watchLeaks();
  const { clock } = context();
  const failure = failureOf(launchMcp([], waiting(), { clock }));
  await clock.advance(90_000);
  expect(await failure).toMatchObject({ message: 'the MCP process did not start within 90 seconds' });
});

test('one that was started as the run was interrupted is stopped', async () => {
  await using _watch = watchLeaks();
  const signal = AbortSignal.abort(new Error('stopped'));
  const launched = launchMcp([], waiting(), { clock: systemClock, signal });
  expect(await failureOf(launched)).toMatchObject({ message: 'stopped' });
});

test('one that is still starting when the run is interrupted is stopped at once, and its folder is removed', async () => {
  await using _watch = watchLeaks();
  const file = path.join(folder.path, 'mcp.env');
  writeText(file, envText(waiting()));
  const given = context();
  const controller = new AbortController();
  const failure = failureOf(startMcpProcess(file, { ...given, signal: controller.signal }));
  // The deadline begins once there is a process.
  await expect.poll(() => given.clock.sleeping).toBe(1);
  controller.abort(new Error('stopped'));
  expect(await failure).toMatchObject({ message: 'stopped' });
  expect(given.clock.sleeping).toBe(0);
  expect(readdirSync(folder.path).filter((entry) => entry.startsWith('gatehouse-cold-'))).toEqual([]);
  expect(given.transcript.steps).toEqual([]);
});

test('the environment file must be named', () => {
  expect(requireMcpEnvFile({ options: { 'mcp-env': '/etc/gatehouse/mcp.env' } })).toBe('/etc/gatehouse/mcp.env');
  for (const options of [{}, { 'mcp-env': true }]) {
    expect(() => requireMcpEnvFile({ options })).toThrow(
      '--mcp-env is missing: the private environment file of the MCP server',
    );
  }
});
