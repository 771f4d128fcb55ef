// The Agent of the demo: one laptop of the household reports its programs, those of a listed destination among them.
import type { Api } from '#contract/index.ts';
import type { Client } from '#kernel/http/client.ts';
import { type AgentSimulator, startAgent } from '#simulators/agent/agent.ts';
import type { GivenObservation, ScriptStep } from '#simulators/agent/script.ts';
import { homeAddress } from '#simulators/home/home.ts';
import { webServices } from '#simulators/home/services.ts';

/** A flow that the routers show too. */
export interface SeenFlow {
  src: string;
  dst: string;
  dport: number;
  sport: number;
}

const everyMs = 10_000;
/** A day: longer than anybody watches. */
const steps = 8640;
const programs = ['firefox', 'thunderbird', 'backup.py (python3)', 'updater'];

/** Makes a code, applies with it and approves, as the owner of the network would. */
export async function startDemoAgent(hub: URL, admin: Client<Api>, flow: SeenFlow): Promise<AgentSimulator> {
  const { code } = await admin.agents.createCode({ body: {} });
  const agent = await startAgent({
    hub,
    codes: [code],
    source: homeAddress('anna-laptop'),
    script: Array.from({ length: steps }, (_, index) => step(index, flow)),
    claimEveryMs: 500,
  });
  try {
    const { requests } = await admin.agents.requests({});
    for (const { requestId } of requests) {
      await admin.agents.approve({ params: { requestId }, body: {} });
    }
    return agent;
  } catch (error) {
    await agent[Symbol.asyncDispose]();
    throw error;
  }
}

function step(index: number, { src, dst, dport, sport }: SeenFlow): ScriptStep {
  const shared: GivenObservation = {
    localAddress: src,
    localPort: sport,
    remoteAddress: dst,
    remotePort: dport,
    networkProtocol: 'tcp',
    processName: 'free-player',
    processID: 4711,
    agoMs: everyMs,
    lastsMs: everyMs,
    bytesIn: '350',
    bytesOut: '2100',
    confidence: 'sampled',
  };
  const web = [0, 1].map((more): GivenObservation => {
    const number = 2 * index + more;
    const { addresses } = webServices[number % webServices.length] ?? { addresses: [] };
    return {
      localAddress: src,
      localPort: 20_000 + (number % 40_000),
      networkProtocol: 'tcp',
      remotePort: 443,
      ...(addresses[0] === undefined ? {} : { remoteAddress: addresses[0] }),
      processName: programs[number % programs.length] ?? 'firefox',
      agoMs: everyMs,
      lastsMs: 4000,
    };
  });
  return { afterMs: index === 0 ? 0 : everyMs, send: [shared, ...web] };
}
