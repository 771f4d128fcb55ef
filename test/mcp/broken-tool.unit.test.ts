// A tool that breaks inside: its caller hears that it did, the log says where, and neither repeats what was thrown.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createToolServers } from '#mcp/server.ts';
import { tools } from '#mcp/tools.ts';
import { collectLog } from '../support/log-lines.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { legacy } from '../support/mcp-lab.ts';

test.each([
  ['an error', new TypeError('a secret'), 'TypeError', [expect.stringMatching(/^at .*broken-tool/)]],
  ['no error', 'a secret', 'string', []],
])('%s is thrown', async (_, thrown, kind, at) => {
  const { log, lines } = collectLog('warn');
  const [first] = tools;
  const broken = { ...first, name: 'broken', call: () => Promise.reject(thrown) } as (typeof tools)[number];
  const serverFor = createToolServers({ tools: [broken], version: '0.0.0', clock: new ManualClock(), log });
  const ended: unknown[] = [];
  const handler = createMcpHandler(() =>
    serverFor({
      granted: new Set([broken.permission]),
      hub: () => ({}) as never,
      requestId: 'id-1',
      onCallEnd: (...call) => void ended.push(call),
    }),
  );
  const answer = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify(legacy('tools/call', { name: 'broken', arguments: {} })),
    }),
  );
  const said = 'the tool failed inside; the log of the MCP server has the details';
  const text = await answer.text();
  expect(text).toContain(said);
  expect(ended).toEqual([['broken', 'failed']]);
  expect(lines).toMatchObject([{ requestId: 'id-1', tool: 'broken', kind, msg: `tool failed: ${said}` }]);
  expect((lines[0] as unknown as { at: string[] }).at.slice(0, 1)).toEqual(at);
  expect(text + JSON.stringify(lines)).not.toContain('a secret');
  await handler.close();
});
