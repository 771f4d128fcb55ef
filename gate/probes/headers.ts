// Checks that the headers that mirror the body (era 2026-07-28) arrive unchanged and are compared with it.
import { type Check, passUnless } from '../check.ts';
import { toMembers } from '../json.ts';
import { callTool, legacyEra, modern } from '../mcp-messages.ts';
import type { Answer } from '../target.ts';
import type { ProbeContext } from './context.ts';
import { findStatusFault } from './status.ts';

const needs = ['target.answers', 'tokens.signatures'];

const getErrorCode = (answer: Answer) => toMembers(toMembers(answer.json).error).code;

/** A refusal shows that the header arrived only when the same request with the right headers is served. */
async function agreeingIsServed({ agreeing }: ProbeContext): Promise<string[]> {
  const { status } = await agreeing();
  return status === 200 ? [] : [`the same request with the right headers is answered with ${status}`];
}

/** What each header says while the body says otherwise; `undefined`: it is left out. */
const contradictions: readonly [name: string, header: string, value: string | undefined][] = [
  ['mismatch', 'Mcp-Method', 'tools/list'],
  ['mismatch-name', 'Mcp-Name', 'get_alerts'],
  ['mismatch-era', 'MCP-Protocol-Version', legacyEra],
  ['no-method', 'Mcp-Method', undefined],
];

/** `headers` with this value of `name`, or without it. */
function replaced(headers: Readonly<Record<string, string>>, name: string, value: string | undefined) {
  const others = Object.entries(headers).filter(([one]) => one !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

const mismatch: Check<ProbeContext> = {
  id: 'error.mismatch',
  asks: 'a header that contradicts the body, or lacks, is refused: 400, -32020; with the right ones the same call is served',
  category: 'protocolErrors',
  needs,
  remedy: 'let the proxy pass the Mcp-Method, Mcp-Name and MCP-Protocol-Version headers unchanged, and add none',
  async judge(context) {
    const { config, mcp, sent } = context;
    const reasons = await agreeingIsServed(context);
    for (const [name, header, value] of contradictions) {
      const ask = callTool(context.readTool, {});
      const headers = replaced(ask.headers ?? {}, header.toLowerCase(), value);
      const answer = await mcp(name, { ...ask, headers, token: config.MCP_GATE_READ_TOKEN });
      if (name === 'mismatch') {
        sent.set('mismatch', answer.requestId);
      }
      const wrong = [
        ...findStatusFault(answer, 400),
        ...(getErrorCode(answer) === -32020 ? [] : ['the code is not -32020']),
      ];
      reasons.push(...wrong.map((reason) => `${value === undefined ? `no ${header}` : header}: ${reason}`));
    }
    return passUnless(reasons);
  },
};

const unsupported: Check<ProbeContext> = {
  id: 'error.unsupported',
  asks: 'a protocol version that nobody has is refused: 400, -32022; the right one is served',
  category: 'protocolErrors',
  needs,
  remedy: 'let the proxy pass the MCP-Protocol-Version header unchanged',
  async judge(context) {
    const { config, mcp, sent } = context;
    const ask = modern('tools/list', {}, '2099-01-01');
    const answer = await mcp('unsupported', { ...ask, token: config.MCP_GATE_READ_TOKEN });
    sent.set('unsupported', answer.requestId);
    return passUnless([
      ...(await agreeingIsServed(context)),
      ...findStatusFault(answer, 400),
      ...(getErrorCode(answer) === -32022 ? [] : ['the code is not -32022']),
    ]);
  },
};

export const headerChecks: readonly Check<ProbeContext>[] = [mismatch, unsupported];
