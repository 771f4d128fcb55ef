// Checks that endpoint and hub report the deployed commit.
import { type Check, fail, pass, type Verdict } from '../check.ts';
import { toMembers } from '../json.ts';
import type { ProbeContext } from './context.ts';
import { askHub } from './hub.ts';

const remedy =
  'deploy MCP_GATE_DEPLOYED_COMMIT, or correct it; where there is no git checkout, set GATEHOUSE_COMMIT of hub and MCP server or make a file COMMIT at build';

const endpoint: Check<ProbeContext> = {
  id: 'release.endpoint',
  asks: 'the endpoint says that it was built from the deployed commit',
  category: 'evidence',
  needs: ['era.modern'],
  remedy,
  /** `VERSION+COMMIT` in the result metadata of server/discover. */
  judge: ({ config, seen }) => compareCommit(/\+([0-9a-f]{40})$/.exec(seen.endpointVersion)?.[1], config),
};

const hub: Check<ProbeContext> = {
  id: 'release.hub',
  asks: 'the hub says that it was built from the deployed commit',
  category: 'evidence',
  needs: ['hub.health'],
  remedy,
  async judge(context) {
    const { status, json } = await askHub(context, 'api/status');
    return status === 200
      ? compareCommit(toMembers(json).commit, context.config)
      : fail(`api/status answers ${status}`);
  },
};

export const releaseChecks = [endpoint, hub] as const;

function compareCommit(said: unknown, { MCP_GATE_DEPLOYED_COMMIT: deployed }: ProbeContext['config']): Verdict {
  if (typeof said !== 'string') {
    return fail('it does not say what it was built from');
  }
  return said === deployed ? pass : fail('it was built from another commit');
}
