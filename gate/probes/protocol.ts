// Checks both protocol eras, their refusals, and the tools that each scope can see and call.
import { type Check, fail, pass, passUnless, type Verdict } from '../check.ts';
import { toMembers, toTexts } from '../json.ts';
import { callTool, initialize, legacy, legacyEra, modern, modernEra, toolNames } from '../mcp-messages.ts';
import type { Answer, Ask } from '../target.ts';
import { parseChallenge } from './answer-headers.ts';
import type { ProbeContext, ProbeName } from './context.ts';
import { headerChecks } from './headers.ts';
import { getResult, listToolNames } from './results.ts';
import { findStatusFault } from './status.ts';

const writeTool = 'set_device_note';
const needs = ['target.answers', 'tokens.signatures'];

const legacyFlow: Check<ProbeContext> = {
  id: 'era.legacy',
  asks: `initialize of era ${legacyEra} is answered`,
  category: 'protocolRevisions',
  needs,
  remedy: 'let the proxy pass POST bodies and event streams',
  async judge({ config, mcp }) {
    const answer = await mcp('initialize', { ...initialize(), token: config.MCP_GATE_WRITE_TOKEN });
    return passUnless([
      ...findStatusFault(answer, 200),
      ...(getResult(answer).protocolVersion === legacyEra ? [] : ['it is another protocol version']),
    ]);
  },
};

const modernFlow: Check<ProbeContext> = {
  id: 'era.modern',
  asks: `server/discover of era ${modernEra} is answered`,
  category: 'protocolRevisions',
  needs,
  remedy: 'let the proxy pass the MCP-Protocol-Version and Mcp-* headers',
  async judge({ config, mcp, seen }) {
    const answer = await mcp('discover', { ...modern('server/discover'), token: config.MCP_GATE_WRITE_TOKEN });
    const { version } = toMembers(toMembers(getResult(answer)._meta)['io.modelcontextprotocol/serverInfo']);
    seen.endpointVersion = typeof version === 'string' ? version : '';
    return passUnless([
      ...findStatusFault(answer, 200),
      ...(toTexts(getResult(answer).supportedVersions).includes(modernEra) ? [] : ['the version is not supported']),
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
      const isResult = Array.isArray(getResult(answer).content);
      if (answer.status !== 200 || !isResult) {
        return passUnless([...findStatusFault(answer, 200), ...(isResult ? [] : ['it is no tool result'])]);
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
  asks: `both eras list the ${toolNames.length} tools of the specification, each once, to a token with both scopes`,
  category: 'protocolRevisions',
  needs: ['era.legacy', 'era.modern'],
  remedy: 'compare the deployed release with the commit under test',
  async judge({ config, mcp }) {
    const token = config.MCP_GATE_WRITE_TOKEN;
    const ofLegacy = listToolNames(await mcp('tools-legacy', { ...legacy('tools/list'), token }));
    const ofModern = listToolNames(await mcp('tools-modern', { ...modern('tools/list'), token }));
    return passUnless([
      ...prefixEra(legacyEra, findToolFaults(ofLegacy)),
      ...prefixEra(modernEra, findToolFaults(ofModern)),
    ]);
  },
};

/** What is wrong with a list of names; names are not repeated, a server may write anything there. */
function findToolFaults(listed: readonly string[]): string[] {
  const missing = toolNames.filter((name) => !listed.includes(name)).length;
  const unknown = new Set(listed.filter((name) => !toolNames.some((one) => one === name))).size;
  return [
    ...(missing > 0 ? [`${missing} of the ${toolNames.length} tools ${missing === 1 ? 'is' : 'are'} not listed`] : []),
    ...(unknown > 0 ? [`${unknown} ${unknown === 1 ? 'tool is' : 'tools are'} unknown`] : []),
    ...(new Set(listed).size < listed.length ? ['a tool is listed twice'] : []),
  ];
}

export function prefixEra(era: string, reasons: readonly string[]): string[] {
  return reasons.map((reason) => `era ${era}: ${reason}`);
}

/** A call of a tool in both eras, as clients of each make it. */
function calls(name: string, args: Record<string, unknown>): { era: string; flow: string; ask: Ask }[] {
  return [
    { era: modernEra, flow: '', ask: callTool(name, args) },
    { era: legacyEra, flow: '-legacy', ask: legacy('tools/call', { name, arguments: args }) },
  ];
}

const readTool: Check<ProbeContext> = {
  id: 'scope.read',
  asks: 'a read token calls a read tool in both eras, and the tool answers with something',
  category: 'readWriteScopes',
  needs,
  remedy: 'look at the audit row of the request, then at the hub: the tool itself failed, or the token was refused',
  async judge({ config, mcp, sent }) {
    const reasons: string[] = [];
    for (const { era, flow, ask } of calls('get_devices', {})) {
      const name = `read${flow}` as ProbeName;
      const answer = await mcp(name, { ...ask, token: config.MCP_GATE_READ_TOKEN });
      sent.set(name, answer.requestId);
      reasons.push(...prefixEra(era, [...findStatusFault(answer, 200), ...findResultFaults(answer)]));
    }
    return passUnless(reasons);
  },
};

export function findResultFaults(answer: Answer): string[] {
  const { isError, content } = getResult(answer);
  if (!Array.isArray(content) || isError === true) {
    return ['the tool failed'];
  }
  const isSaid = content.map(toMembers).some(({ text }) => typeof text === 'string' && text.trim() !== '');
  return isSaid ? [] : ['the tool answers with nothing'];
}

/** A token that is good in everything but the scope that reading asks for. */
const readRequired: Check<ProbeContext> = {
  id: 'scope.read-required',
  asks: 'a token without the read scope: 403 insufficient_scope, and a challenge that names that scope',
  category: 'readWriteScopes',
  needs: [...needs, 'tokens.alike'],
  remedy: 'the endpoint lets any token of the issuer read: do not publish it',
  async judge({ config, mcp, sent }) {
    const token = config.MCP_GATE_WRITE_ONLY_TOKEN;
    if (token === undefined) {
      return { outcome: 'not-required', because: 'MCP_GATE_WRITE_ONLY_TOKEN is not set: this was not tried' };
    }
    const answer = await mcp('read-required', { ...callTool('get_devices', {}), token });
    sent.set('read-required', answer.requestId);
    return passUnless([...findStatusFault(answer, 403), ...findChallengeFaults(answer, [config.MCP_GATE_READ_SCOPE])]);
  },
};

/** The address is one of documentation (RFC 5737) and the note empty: were it let through, nothing would change. */
const writeDenied: Check<ProbeContext> = {
  id: 'scope.write-denied',
  asks: `${writeTool} with a read token, in both eras: 403 insufficient_scope, and a challenge that names both scopes`,
  category: 'readWriteScopes',
  needs,
  remedy: 'the endpoint lets a read token write, or hides why it refuses: do not publish it',
  async judge({ config, mcp, sent }) {
    const reasons: string[] = [];
    for (const { era, flow, ask } of calls(writeTool, { src: '192.0.2.1', note: '' })) {
      const name = `write-denied${flow}` as ProbeName;
      const answer = await mcp(name, { ...ask, token: config.MCP_GATE_READ_TOKEN });
      sent.set(name, answer.requestId);
      const scopes = [config.MCP_GATE_WRITE_SCOPE, config.MCP_GATE_READ_SCOPE];
      reasons.push(...prefixEra(era, [...findStatusFault(answer, 403), ...findChallengeFaults(answer, scopes)]));
    }
    return passUnless(reasons);
  },
};

export function findChallengeFaults(answer: Answer, scopes: readonly string[]): string[] {
  const { error, scope = '' } = parseChallenge(answer);
  const named = scope.split(' ');
  return [
    ...(error === 'insufficient_scope' ? [] : ['the challenge does not say insufficient_scope']),
    ...(scopes.every((one) => named.includes(one)) ? [] : ['the challenge lacks a scope']),
  ];
}

const writeVisible: Check<ProbeContext> = {
  id: 'scope.write-visible',
  asks: `a token with both scopes sees ${writeTool} in both eras`,
  category: 'readWriteScopes',
  needs,
  remedy: 'the list of tools must follow the scopes of the token: do not publish it',
  judge: (context) => judgeVisibility(context, 'visible', context.config.MCP_GATE_WRITE_TOKEN, true),
};

const writeHidden: Check<ProbeContext> = {
  ...writeVisible,
  id: 'scope.write-hidden',
  asks: `a read token does not see ${writeTool} in either era`,
  judge: (context) => judgeVisibility(context, 'hidden', context.config.MCP_GATE_READ_TOKEN, false),
};

async function judgeVisibility({ mcp }: ProbeContext, name: string, token: string, isThere: boolean): Promise<Verdict> {
  const reasons: string[] = [];
  for (const [era, ask] of [
    [modernEra, modern('tools/list')],
    [legacyEra, legacy('tools/list')],
  ] as const) {
    const answer = await mcp(name, { ...ask, token });
    const tools = listToolNames(answer);
    const wrong =
      answer.status !== 200 || tools.length === 0
        ? `the list is answered with ${answer.status} and ${tools.length} tools`
        : `${writeTool} is ${isThere ? 'not ' : ''}listed`;
    const isRight = answer.status === 200 && tools.length > 0 && tools.includes(writeTool) === isThere;
    reasons.push(...prefixEra(era, isRight ? [] : [wrong]));
  }
  return passUnless(reasons);
}

export const protocolChecks: readonly Check<ProbeContext>[] = [
  legacyFlow,
  modernFlow,
  sameTools,
  streaming,
  ...headerChecks,
  readTool,
  readRequired,
  writeDenied,
  writeVisible,
  writeHidden,
];
