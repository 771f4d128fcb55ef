// How the profile `resource-server` judges checks that name tools of Gatehouse or expect both protocol eras: it takes the
// tools and the eras that the server has.
import { type Check, fail, notApplicable, pass, passUnless, type Verdict } from '../check.ts';
import { toMembers } from '../json.ts';
import { callTool, initialize, legacyEra, modern, modernEra } from '../mcp-messages.ts';
import type { Answer } from '../target.ts';
import { judgeAddressParity } from './address-parity.ts';
import type { ProbeContext } from './context.ts';
import { headerChecks } from './headers.ts';
import { findChallengeFaults, findResultFaults, prefixEra } from './protocol.ts';
import { getResult, listToolNames } from './results.ts';
import { type Era, type ServerView, speaksLegacy, speaksModern } from './server-view.ts';
import { findStatusFault } from './status.ts';

type Judge = Check<ProbeContext>['judge'];

const noReadTool = notApplicable('no tool says that it only reads (readOnlyHint) and needs no argument');

export const resourceServerJudges: Readonly<Record<string, Judge>> = {
  'era.legacy': async ({ server }) => judgeEra(await server(), legacyEra),
  'era.modern': async ({ server }) => judgeEra(await server(), modernEra),
  'era.sameTools': async ({ server }) => judgeTools(await server()),
  ...Object.fromEntries(headerChecks.map(({ id, judge }) => [id, createHeaderJudge(judge)])),
  async 'scope.read'({ server, mcp, config }) {
    const { toolLists, readTool, createAsk } = await server();
    if (readTool === null) {
      return noReadTool;
    }
    const reasons: string[] = [];
    for (const era of toolLists.keys()) {
      const call = createAsk(era, 'tools/call', { name: readTool, arguments: {} });
      const answer = await mcp('read', { ...call, token: config.MCP_GATE_READ_TOKEN });
      reasons.push(...prefixEra(era, [...findStatusFault(answer, 200), ...findResultFaults(answer)]));
    }
    return passUnless(reasons);
  },
  async 'scope.read-required'({ server, mcp, config }) {
    const token = config.MCP_GATE_WRITE_ONLY_TOKEN;
    if (token === undefined) {
      return { outcome: 'not-required', because: 'MCP_GATE_WRITE_ONLY_TOKEN is not set: this was not tried' };
    }
    const answer = await mcp('read-required', { ...createStatelessAsk(await server()), token });
    return passUnless([...findStatusFault(answer, 403), ...findChallengeFaults(answer, [config.MCP_GATE_READ_SCOPE])]);
  },
  'target.alike': async (context) => judgeAddressParity(context, createStatelessAsk(await context.server())),
};

/** Returns a request that the server answers without a session. */
function createStatelessAsk({ toolLists }: ServerView) {
  return toolLists.has(modernEra) ? modern('tools/list') : initialize();
}

/** Passes when the server speaks `era`. The era does not apply when the server refuses it and speaks the other one. */
function judgeEra({ introductions, toolLists }: ServerView, era: Era): Verdict {
  if (toolLists.has(era)) {
    return pass;
  }
  const answer = introductions[era];
  const isOther = era === legacyEra ? speaksModern(introductions[modernEra]) : speaksLegacy(introductions[legacyEra]);
  if (isOther && isRefusal(answer)) {
    return notApplicable('the endpoint does not speak this era');
  }
  return fail([...findStatusFault(answer, 200), 'this era is not among its protocol versions'].join('; '));
}

function isRefusal({ status, json }: Answer): boolean {
  return ![401, 403, 429].includes(status) && status < 500 && (status >= 400 || toMembers(json).error !== undefined);
}

function judgeTools({ toolLists }: ServerView): Verdict {
  const named = [...toolLists].map(([era, answer]) => ({ era, answer, names: listToolNames(answer) }));
  const [first, second] = named;
  return passUnless([
    ...named.flatMap(({ era, answer, names }) =>
      prefixEra(era, [
        ...findStatusFault(answer, 200),
        ...(Array.isArray(getResult(answer).tools) ? [] : ['the answer lists no tools']),
        ...(new Set(names).size < names.length ? ['a tool is listed twice'] : []),
      ]),
    ),
    ...(second && first?.names.join() !== second.names.join() ? ['the eras list different tools'] : []),
  ]);
}

/** Returns the judge of a check on headers of era 2026-07-28, with a read tool of this server in place of Gatehouse's. */
function createHeaderJudge(judge: Judge): Judge {
  return async (context) => {
    const { toolLists, readTool } = await context.server();
    if (!toolLists.has(modernEra)) {
      return notApplicable(`the headers are those of era ${modernEra}, which the endpoint does not speak`);
    }
    if (readTool === null) {
      return noReadTool;
    }
    const token = context.config.MCP_GATE_READ_TOKEN;
    return judge({
      ...context,
      readTool,
      agreeing: () => context.mcp('agreeing', { ...callTool(readTool, {}), token }),
    });
  };
}
