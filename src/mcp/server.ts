// Serves the tools over MCP, on HTTP and stdio. Each exchange has an SDK server of its own.
import { ProtocolError, ProtocolErrorCode, Server, type Tool } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Log } from '#kernel/process/log.ts';
import { firstProblem, readInput } from '#kernel/text/problem.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { HubClient } from './hub.ts';
import type { ToolDefinition, ToolPermission } from './tool.ts';

/** `unknown`: the tool does not exist, or the caller lacks its permission. */
export type CallOutcome = 'done' | 'invalid' | 'failed' | 'unknown';

/** The permissions of the caller, the hub client for its calls, and callbacks around each call. */
export interface ServerContext {
  granted: ReadonlySet<ToolPermission>;
  /** The hub client of one call; `signal` aborts its requests. */
  hub(signal: AbortSignal): HubClient;
  requestId?: string | undefined;
  /** Called when the handler of a tool starts; `onCallEnd` always follows. */
  onCallStart?(): void;
  /** Called once per call; `tool` is null when the outcome is `unknown`. */
  onCallEnd?(tool: string | null, outcome: CallOutcome): void;
}

export interface ServerOptions {
  tools: readonly ToolDefinition[];
  version: string;
  clock: Clock;
  log: Log;
}

const instructions =
  'Ask about the traffic of a home or small-office network. Times are UTC. Totals are exact; lists are cut to limit.';

/** Returns a factory of servers. JSON schemas of the tools are made once, not for every server. */
export function createToolServers({ tools, version, clock, log }: ServerOptions): (context: ServerContext) => Server {
  const entries = tools.map((tool) => ({ tool, listed: toListedTool(tool) }));
  const jsonSchemaValidator = new AjvJsonSchemaValidator();
  const cacheHint = { ttlMs: limits.mcpListTtlMs, cacheScope: 'private' } as const;
  const sdkOptions = {
    instructions,
    jsonSchemaValidator,
    // The answer to `initialize`, whichever revision a client asks for (docs/decisions/004-contract-differences.md).
    supportedProtocolVersions: ['2025-11-25'],
    capabilities: { tools: { listChanged: false } },
    cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint },
  };
  const callTool = async (
    tool: ToolDefinition,
    given: unknown,
    context: ServerContext,
    signal: AbortSignal,
  ): Promise<CallResult> => {
    const parsed = readInput(tool.input, given);
    if (!parsed.success) {
      return { outcome: 'invalid', text: `Invalid arguments: ${firstProblem(parsed.error)}`, value: null };
    }
    try {
      const answer = await tool.call(parsed.data, { hub: context.hub(signal), now: clock.now() });
      const value = tool.output.parse(answer);
      return { outcome: 'done', text: JSON.stringify(value, null, 2), value };
    } catch (error) {
      const isExpected = error instanceof AppError;
      const text = isExpected ? error.message : 'the tool failed inside; the log of the MCP server has the details';
      const call = { requestId: context.requestId, tool: tool.name };
      log.warn({ ...call, ...(isExpected ? { code: error.code } : describeCrash(error)) }, `tool failed: ${text}`);
      return { outcome: 'failed', text, value: null };
    }
  };
  return (context) => {
    const server = new Server({ name: 'gatehouse', title: 'Gatehouse', version }, sdkOptions);
    server.setRequestHandler('tools/list', () => ({
      tools: entries.filter(({ tool }) => context.granted.has(tool.permission)).map(({ listed }) => listed),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const tool = tools.find(({ name }) => name === params.name);
      if (!tool || !context.granted.has(tool.permission)) {
        context.onCallEnd?.(null, 'unknown');
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          'there is no such tool: tools/list names those there are',
        );
      }
      context.onCallStart?.();
      const { outcome, text, value } = await callTool(tool, params.arguments ?? {}, context, mcpReq.signal);
      context.onCallEnd?.(tool.name, outcome);
      const content = [{ type: 'text' as const, text }];
      return value === null ? { content, isError: true } : { content, structuredContent: value };
    });
    return server;
  };
}

function toListedTool({ name, title, description, input, output, annotations }: ToolDefinition): Tool {
  return {
    name,
    title,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }) as Tool['inputSchema'],
    outputSchema: z.toJSONSchema(output, { io: 'output' }) as NonNullable<Tool['outputSchema']>,
    annotations: { title, ...annotations },
  };
}

interface CallResult {
  outcome: CallOutcome;
  text: string;
  value: Record<string, unknown> | null;
}

/** Kind and location of an unexpected error, without its message, which may contain data. */
function describeCrash(error: unknown): { kind: string; at: string[] } {
  const frames = (error instanceof Error ? (error.stack ?? '') : '').split('\n').filter((line) => /^\s+at /.test(line));
  return { kind: error instanceof Error ? error.name : typeof error, at: frames.map((line) => line.trim()) };
}
