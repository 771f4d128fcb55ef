// `gatehouse sim agent`.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf } from '#kernel/errors.ts';
import { urlOption } from '#kernel/process/option-value.ts';
import { UsageError } from '#kernel/process/program.ts';
import { optionNumber, optionText, type ParsedOptions, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { planPeriodAgents } from '../period/agents.ts';
import { type AgentOptions, startAgent } from './agent.ts';
import { agentControlRoutes, mostPace } from './control.ts';
import { type AgentFault, agentFaults, requireFaultOptions } from './faults.ts';
import { parseScript } from './script.ts';
import type { AgentsOptions } from './start.ts';

export const agentOptions = {
  hub: {
    takes: 'URL',
    says: 'the hub that they enrol at; without it, all leaves them out',
    api: 'hub',
    differs: 'a `URL`',
  },
  code: {
    takes: 'CODE[,CODE…]',
    says: 'enrolment codes, one for each Agent (POST /enroll of the control API)',
    api: 'codes',
    differs: 'a list',
  },
  count: { takes: 'N', says: 'how many Agents, 1 to 100 (1)', api: 'count' },
  rate: { takes: 'N', says: 'batches a minute of each; 0: only when asked for (4)', api: 'rate' },
  observations: { takes: 'N', says: 'observations of a batch, 1 to 200 (20)', api: 'observations' },
  source: {
    takes: 'ADDRESS',
    says: 'IPv4 address of the first machine; the others count up (192.168.100.7)',
    api: 'source',
  },
  script: {
    takes: 'FILE',
    says: 'JSON lines: what to send, and when, instead of random batches',
    api: 'script',
    differs: 'the steps, as objects',
    isFile: true,
  },
  period: {
    takes: 'FILE',
    says: 'plays the Agents of a period (gatehouse replay export), which begins with the simulator',
    api: 'period',
    isFile: true,
  },
  'connect-from': { takes: 'ADDRESS', says: 'local address of the connections to the hub', api: 'connectFrom' },
} satisfies OptionTable<ApiName<AgentsOptions>>;

export const agentCommand: SimulatorCommand = {
  kind: 'agent',
  ports: { port: null, control: 2940 },
  needs: 'hub',
  help: { title: 'Agents' },
  options: agentOptions,
  faults: agentFaults,
  checkFault: (fault: AgentFault, options) => requireFaultOptions(fault, options, 100),
  plan(given) {
    const period = readPeriodAgents(given);
    const options = parseOptions(given, period?.count ?? optionNumber(given, 'count', [1, 100], 1));
    return async (starting) => {
      const { clock, onEntry } = starting.options;
      const { holdClock } = starting;
      const agents = starting.stack.use(
        await startAgent({
          ...options,
          ...period?.plan(clock.now()),
          seed: starting.seed ?? 1,
          clock,
          onEntry,
          holdClock,
        }),
      );
      const control = await serveControl(starting, {
        title: 'Simulated Agents',
        control: agents,
        extra: agentControlRoutes(agents),
      });
      const enrolled = agents.agents.map(({ requestId, hostName }) => ({ requestId, hostName }));
      const hint = 'an Agent without a requestId has not applied: POST /enroll {"code":"…"} of the control API';
      return {
        hub: options.hub.href,
        control,
        agents: enrolled,
        ...(enrolled.some(({ requestId }) => requestId === null) ? { hint } : {}),
      };
    };
  },
};

function parseOptions(given: ParsedOptions, count: number): AgentOptions {
  const address = optionText(given, 'hub');
  if (address === null) {
    throw new UsageError('--hub is missing: name the address of the hub, such as http://127.0.0.1:3000');
  }
  const hub = urlOption('hub', address, 'the hub');
  const codes = (optionText(given, 'code') ?? '').split(',').filter((code) => code !== '');
  if (codes.length > count) {
    throw new UsageError(`--code has ${codes.length} codes for ${count} Agents; --count N is how many there are`);
  }
  const rate = optionNumber(given, 'rate', [0, mostPace.rate], null);
  const observations = optionNumber(given, 'observations', [1, mostPace.observations], null);
  const source = optionText(given, 'source');
  if (source !== null && !z.ipv4().safeParse(source).success) {
    throw new UsageError(`--source takes an IPv4 address, not "${source}"`);
  }
  const from = optionText(given, 'connect-from');
  if (from !== null && !z.union([z.ipv4(), z.ipv6()]).safeParse(from).success) {
    throw new UsageError(`--connect-from takes an IP address, not "${from}"`);
  }
  const script = readScript(optionText(given, 'script'));
  const beyond = script?.find(({ agent = 1 }) => agent > count);
  if (beyond) {
    throw new UsageError(`--script names Agent ${beyond.agent} of ${count}; --count N is how many there are`);
  }
  return {
    hub,
    codes,
    count,
    ...(rate === null ? {} : { rate }),
    ...(observations === null ? {} : { observations }),
    ...(source === null ? {} : { source }),
    ...(from === null ? {} : { connectFrom: from }),
    ...(script === null ? {} : { script }),
  };
}

function readPeriodAgents(given: ParsedOptions) {
  const file = optionText(given, 'period');
  if (file === null) {
    return null;
  }
  const other = ['count', 'rate', 'observations', 'source', 'script'].find((option) => given[option] !== undefined);
  if (other !== undefined) {
    throw new UsageError(`--period says what its Agents deliver: leave out --${other}`);
  }
  return planPeriodAgents(file);
}

function readScript(file: string | null) {
  if (file === null) {
    return null;
  }
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--script: ${messageOf(error)}`);
  }
  const { steps, problem } = parseScript(content);
  if (problem !== null) {
    throw new UsageError(`--script: ${problem}`);
  }
  return steps;
}
