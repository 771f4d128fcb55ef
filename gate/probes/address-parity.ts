// Checks that all addresses of a target behave alike: they may be different proxies and endpoints.
import { type Check, pass, passUnless, type Verdict } from '../check.ts';
import { modern } from '../mcp-messages.ts';
import type { Answer, Ask } from '../target.ts';
import type { ProbeContext } from './context.ts';
import { getResult, listToolNames } from './results.ts';

export const addressParityCheck: Check<ProbeContext> = {
  id: 'target.alike',
  asks: 'where the target has several addresses, each refuses the same tokens and lists the same tools',
  category: 'tlsAndMetadata',
  needs: ['target.answers', 'tokens.signatures'],
  remedy: 'deploy the same release with the same settings behind every address, or take the address away',
  judge: (context) => judgeAddressParity(context, modern('tools/list')),
};

/** Sends `ask` to every address: `tools/list` or `initialize`. All must list the same tools or name the same server. */
export async function judgeAddressParity({ addresses, everywhere, config }: ProbeContext, ask: Ask): Promise<Verdict> {
  if ((await addresses()).length === 1) {
    return pass;
  }
  const expired = await everywhere('each-expired', { ...ask, token: config.MCP_GATE_EXPIRED_TOKEN });
  const foreign = await everywhere('each-audience', { ...ask, token: config.MCP_GATE_WRONG_AUDIENCE_TOKEN });
  const lists = await everywhere('each-tools', { ...ask, token: config.MCP_GATE_READ_TOKEN });
  const [first] = lists.map(describeAnswer);
  return passUnless(
    lists.flatMap((list, index) => {
      const reasons = [
        ...judgeStatus(expired[index], 'an expired token'),
        ...judgeStatus(foreign[index], 'a token for another audience'),
        ...(describeAnswer(list) === first ? [] : ['it lists other tools, or names another server, than the first']),
      ];
      return reasons.map((reason) => `address ${index + 1} of ${lists.length}: ${reason}`);
    }),
  );
}

function judgeStatus(answer: Answer | undefined, to: string): string[] {
  return answer?.status === 401 ? [] : [`it answers ${answer?.status} to ${to}`];
}

function describeAnswer(answer: Answer): string {
  const { tools, serverInfo } = getResult(answer);
  return Array.isArray(tools) ? listToolNames(answer).join() : JSON.stringify(serverInfo ?? '');
}
