// Every kind of `gatehouse sim`, in the order in which `all` starts them.
import { agentCommand } from './agent/command.ts';
import { aiCommand } from './ai/command.ts';
import { chatCommand } from './chat/command.ts';
import { clickHouseCommand } from './clickhouse/command.ts';
import type { SimulatorCommand } from './command.ts';
import { feedsCommand } from './feeds/command.ts';
import { meshCommand } from './mesh/command.ts';
import { brokerCommand } from './mqtt/command.ts';
import { issuerCommand } from './oidc/command.ts';
import { routerCommands } from './router/command.ts';
import { trapperCommand } from './trapper/command.ts';
import { upsCommand } from './ups/command.ts';

export const commands: readonly SimulatorCommand[] = [
  ...routerCommands,
  issuerCommand,
  upsCommand,
  brokerCommand,
  trapperCommand,
  feedsCommand,
  chatCommand,
  clickHouseCommand,
  aiCommand,
  meshCommand,
  agentCommand,
];
