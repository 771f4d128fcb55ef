// Both protocol eras, their refusals, and what each scope sees and may do.
import { type Check, fail, pass, passUnless } from '../check.ts';
import { membersOf, textsOf } from '../json.ts';
import { callTool, initialize, legacy, legacyEra, modern, modernEra } from '../mcp-messages.ts';
import type { Answer } from '../target.ts';
import { challengeOf, type ProbeContext } from './context.ts';
import { headerChecks } from './headers.ts';
import { statusIs } from './status.ts';

const writeTool = 'set_device_note';
/** Specification 2 §2. */
const toolCount = 11;
const needs = ['target.answers', 'tokens.signatures'];

const resultOf = (answer: Answer) => membersOf(membersOf(answer.json).result);

function toolsOf(answer: Answer): string[] {
  const { tools } = resultOf(answer);
  return Array.isArray(tools) ? tools.map((tool) => String(membersOf(tool).name)).sort() : [];
}

const legacyFlow: Check<ProbeContext> = {
  id: 'era.legacy',
  asks: `initialize of era ${legacyEra} is answered`,
  category: 'protocolRevisions',
  needs,
  remedy: 'let the proxy pass POST bodies and event streams',
  async judge({ config, mcp }) {
    const answer = await mcp('initialize', { ...initialize(), token: config.MCP_GATE_WRITE_TOKEN });
    return passUnless([
      ...statusIs(answer, 200),
      ...(resultOf(answer).protocolVersion === legacyEra ? [] : ['it is another protocol version']),
    ]);
  },
};

const modernFlow: Check<ProbeContext> = {
  id: 'era.modern',
  asks: `server/discover of era ${modernEra} is answered`,
  category: 'protocolRevisions',
  needs,
  remedy: 'let the proxy pass the MCP-Protocol-Version and Mcp-* headers',
  async judge({ config, mcp }) {
    const answer = await mcp('discover', { ...modern('server/discover'), token: config.MCP_GATE_WRITE_TOKEN });
    return passUnless([
      ...statusIs(answer, 200),
      ...(textsOf(resultOf(answer).supportedVersions).includes(modernEra) ? [] : ['the version is not supported']),
    ]);
  },
};

/** Tries of the stream: head and body that left apart may still arrive together. */
const streamTries = 5;

/** Era 2025-11-25 answers a tool call with an event stream, whose head is sent before the tool is called. */
const streaming: Check<ProbeContext> = {
  id: 'era.stream',
  asks: 'an event stream begins before it ends: nothing on the way holds it back, or garbles it for a client that takes gzip',
  category: 'protocolRevisions',
  needs: ['era.legacy'],
  remedy:
    'turn off buffering and compression of /mcp in the proxy (nginx: proxy_buffering off, gzip off; Caddy: flush_interval -1)',
  async judge({ config, mcp }) {
    const call = legacy('tools/call', { name: 'get_devices', arguments: {} });
    const headers = { ...call.headers, 'accept-encoding': 'gzip, deflate, br' };
    for (let tried = 1; tried <= streamTries; tried += 1) {
      const answer = await mcp('stream', { ...call, headers, token: config.MCP_GATE_READ_TOKEN });
      const isResult = Array.isArray(resultOf(answer).content);
      if (answer.status !== 200 || !isResult) {
        return passUnless([...statusIs(answer, 200), ...(isResult ? [] : ['it is no tool result'])]);
      }
      if (answer.headCameFirst) {
        return pass;
      }
    }
    return fail(`the head of the answer came with its body, ${streamTries} times of ${streamTries}`);
  },
};

const sameTools: Check<ProbeContext> = {
  id: 'era.sameTools',
  asks: `both eras list the same ${toolCount} tools to a token with both scopes`,
  category: 'protocolRevisions',
  needs: ['era.legacy', 'era.modern'],
  remedy: 'compare the deployed release with the commit under test',
  async judge({ config, mcp }) {
    const token = config.MCP_GATE_WRITE_TOKEN;
    const one = toolsOf(await mcp('tools-legacy', { ...legacy('tools/list'), token }));
    const other = toolsOf(await mcp('tools-modern', { ...modern('tools/list'), token }));
    return passUnless([
      ...(one.length === toolCount ? [] : [`${one.length} tools in era ${legacyEra}`]),
      ...(one.join() === other.join() ? [] : ['the eras list different tools']),
    ]);
  },
};

const readTool: Check<ProbeContext> = {
  id: 'scope.read',
  asks: 'a read token calls a read tool, and the tool succeeds',
  category: 'readWriteScopes',
  needs,
  remedy: 'look at the audit row of the request, then at the hub: the tool itself failed, or the token was refused',
  async judge({ config, mcp, sent }) {
    const answer = await mcp('read', { ...callTool('get_devices', {}), token: config.MCP_GATE_READ_TOKEN });
    sent.set('read', answer.requestId);
    const { isError, content } = resultOf(answer);
    return passUnless([
      ...statusIs(answer, 200),
      ...(Array.isArray(content) && isError !== true ? [] : ['the tool failed']),
    ]);
  },
};

/** The address is one of documentation (RFC 5737) and the note empty: were it let through, nothing would change. */
const writeDenied: Check<ProbeContext> = {
  id: 'scope.write-denied',
  asks: `${writeTool} with a read token: 403 insufficient_scope, and a challenge that names both scopes`,
  category: 'readWriteScopes',
  needs,
  remedy: 'the endpoint lets a read token write, or hides why it refuses: do not publish it',
  async judge({ config, mcp, sent }) {
    const ask = callTool(writeTool, { src: '192.0.2.1', note: '' });
    const answer = await mcp('write-denied', { ...ask, token: config.MCP_GATE_READ_TOKEN });
    sent.set('write-denied', answer.requestId);
    const { error, scope = '' } = challengeOf(answer);
    const named = scope.split(' ');
    return passUnless([
      ...statusIs(answer, 403),
      ...(error === 'insufficient_scope' ? [] : ['the challenge does not say insufficient_scope']),
      ...(named.includes(config.MCP_GATE_WRITE_SCOPE) ? [] : ['the challenge lacks the write scope']),
      ...(named.includes(config.MCP_GATE_READ_SCOPE) ? [] : ['the challenge lacks the read scope']),
    ]);
  },
};

function visibility(id: string, asks: string, tokenOf: (context: ProbeContext) => string, isThere: boolean) {
  return {
    id,
    asks,
    category: 'readWriteScopes',
    needs,
    remedy: 'the list of tools must follow the scopes of the token: do not publish it',
    async judge(context) {
      const answer = await context.mcp(isThere ? 'tools-write' : 'tools-read', {
        ...modern('tools/list'),
        token: tokenOf(context),
      });
      const tools = toolsOf(answer);
      if (answer.status !== 200 || tools.length === 0) {
        return fail(`the list is answered with ${answer.status} and ${tools.length} tools`);
      }
      return tools.includes(writeTool) === isThere ? pass : fail(`${writeTool} is ${isThere ? 'not ' : ''}listed`);
    },
  } satisfies Check<ProbeContext>;
}

export const protocolChecks: readonly Check<ProbeContext>[] = [
  legacyFlow,
  modernFlow,
  sameTools,
  streaming,
  ...headerChecks,
  readTool,
  writeDenied,
  visibility(
    'scope.write-visible',
    `a token with both scopes sees ${writeTool}`,
    ({ config }) => config.MCP_GATE_WRITE_TOKEN,
    true,
  ),
  visibility(
    'scope.write-hidden',
    `a read token does not see ${writeTool}`,
    ({ config }) => config.MCP_GATE_READ_TOKEN,
    false,
  ),
];
