// The simulators for tests of other projects: `import { startRouter } from 'gatehouse-simulators'`.
export type { AgentSimulator } from './agent/agent.ts';
export { type AgentsOptions, startAgents } from './agent/start.ts';
export { type AiOptions, type AiSimulator, startAi } from './ai/ai.ts';
export { type ChatOptions, type ChatSimulator, startChat } from './chat/workspace.ts';
export { type ClickHouseOptions, type ClickHouseSimulator, startClickHouse } from './clickhouse/clickhouse.ts';
export { type FeedsOptions, type FeedsSimulator, startFeeds } from './feeds/feeds.ts';
export { type MeshOptions, type MeshSimulator, startMesh } from './mesh/access-point.ts';
export { type BrokerOptions, type BrokerSimulator, startBroker } from './mqtt/broker.ts';
export { type IssuerOptions, type IssuerSimulator, startIssuer } from './oidc/issuer.ts';
export type { RouterKind } from './router/model.ts';
export type { CommandAnswer, CommandFacts, OwnCommands } from './router/own-commands.ts';
export type { RouterSimulator } from './router/router.ts';
export { type RouterOptions, startRouter } from './router/start.ts';
export type { Entry, FaultOptions, SimulatorOptions } from './support/simulator.ts';
export { startTrapper, type TrapperOptions, type TrapperSimulator } from './trapper/trapper.ts';
export { startUps, type UpsOptions, type UpsSimulator } from './ups/ups.ts';
