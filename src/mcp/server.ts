// Serves the tools over MCP: one SDK server per exchange, for both transports and eras, from precomputed schemas.
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

/** Outcome of a tool call: a result, invalid arguments, a failure, or an unknown tool. */
export type CallEnding = 'done' | 'invalid' | 'failed' | 'unknown';

/** The context of a server: permissions of the caller, the hub, and callbacks for its calls. */
export interface Audience {
  granted: ReadonlySet<ToolPermission>;
  /** The hub client of one call; `signal` aborts its requests. */
  hub(signal: AbortSignal): HubClient;
  requestId?: string | undefined;
  /** Called when the handler of a tool starts; `ended` always follows. */
  began?(): void;
  /** Called once per call, when its handler completes; `tool` is null when there is none of that name. */
  ended?(tool: string | null, ending: CallEnding): void;
}

export interface ServerOptions {
  tools: readonly ToolDefinition[];
  version: string;
  clock: Clock;
  log: Log;
}

const instructions =
  'Ask about the traffic of a home or small-office network. Times are UTC. Totals are exact; lists are cut to limit.';

/** Returns a factory of servers. Schemas are converted once, not for every request. */
export function createToolServers({ tools, version, clock, log }: ServerOptions): (audience: Audience) => Server {
  const offers = tools.map((tool) => ({ tool, listed: toListedTool(tool) }));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const jsonSchemaValidator = new AjvJsonSchemaValidator();
  const hint = { ttlMs: limits.mcpListTtlMs, cacheScope: 'private' } as const;
  const settings = {
    instructions,
    jsonSchemaValidator,
    // For clients that call initialize; a request for an older revision is offered this one (decision 004).
    supportedProtocolVersions: ['2025-11-25'],
    capabilities: { tools: { listChanged: false } },
    cacheHints: { 'tools/list': hint, 'server/discover': hint },
  };
  const run = async (
    tool: ToolDefinition,
    given: unknown,
    audience: Audience,
    signal: AbortSignal,
  ): Promise<CallResult> => {
    const parsed = readInput(tool.input, given);
    if (!parsed.success) {
      return { ending: 'invalid', text: `Invalid arguments: ${firstProblem(parsed.error)}`, value: null };
    }
    try {
      const answer = await tool.call(parsed.data, { hub: audience.hub(signal), now: clock.now() });
      const value = tool.output.parse(answer);
      return { ending: 'done', text: JSON.stringify(value, null, 2), value };
    } catch (error) {
      const isMeant = error instanceof AppError;
      const text = isMeant ? error.message : 'the tool failed inside; the log of the MCP server has the details';
      const about = { requestId: audience.requestId, tool: tool.name };
      log.warn({ ...about, ...(isMeant ? { code: error.code } : describeCrash(error)) }, `tool failed: ${text}`);
      return { ending: 'failed', text, value: null };
    }
  };
  return (audience) => {
    const server = new Server({ name: 'gatehouse', title: 'Gatehouse', version }, settings);
    server.setRequestHandler('tools/list', () => ({
      tools: offers.filter(({ tool }) => audience.granted.has(tool.permission)).map(({ listed }) => listed),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const tool = byName.get(params.name);
      if (!tool || !audience.granted.has(tool.permission)) {
        audience.ended?.(null, 'unknown');
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          'there is no such tool: tools/list names those there are',
        );
      }
      audience.began?.();
      const { ending, text, value } = await run(tool, params.arguments ?? {}, audience, mcpReq.signal);
      audience.ended?.(tool.name, ending);
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
  ending: CallEnding;
  text: string;
  value: Record<string, unknown> | null;
}

/** Kind and location of an unexpected error, without its message, which may contain data. */
function describeCrash(error: unknown): { kind: string; at: string[] } {
  const frames = (error instanceof Error ? (error.stack ?? '') : '').split('\n').filter((line) => /^\s+at /.test(line));
  return { kind: error instanceof Error ? error.name : typeof error, at: frames.map((line) => line.trim()) };
}
