// The simulators for tests of other projects: `import { startRouter } from 'gatehouse-simulators'`.
import { systemClock } from '#kernel/time/clock.ts';
import { type AgentOptions, startAgent } from './agent/agent.ts';
import { agentFaults } from './agent/faults.ts';
import * as ai from './ai/ai.ts';
import { aiFaults } from './ai/faults.ts';
import { chatFaults } from './chat/faults.ts';
import * as chat from './chat/workspace.ts';
import * as clickHouse from './clickhouse/clickhouse.ts';
import { clickHouseFaults } from './clickhouse/faults.ts';
import { feedFaults } from './feeds/faults.ts';
import * as feeds from './feeds/feeds.ts';
import * as mesh from './mesh/access-point.ts';
import { meshFaults } from './mesh/faults.ts';
import * as mqtt from './mqtt/broker.ts';
import { brokerFaults } from './mqtt/faults.ts';
import { issuerFaults } from './oidc/faults.ts';
import * as oidc from './oidc/issuer.ts';
import { planPeriodAgents } from './period/agents.ts';
import { planPeriodRouter } from './period/router.ts';
import { toCapturedRouter } from './router/captured.ts';
import { routerFaults } from './router/faults.ts';
import type { RouterKind } from './router/model.ts';
import * as router from './router/router.ts';
import { toRunning } from './support/running.ts';
import { trapperFaults } from './trapper/faults.ts';
import * as trapper from './trapper/trapper.ts';
import { upsFaults } from './ups/faults.ts';
import * as ups from './ups/ups.ts';

export type { RouterKind } from './router/model.ts';
export type { CommandAnswer, CommandFacts, OwnCommands } from './router/own-commands.ts';
export type { Running } from './support/running.ts';
export type { Entry, FaultOptions, SimulatorOptions } from './support/simulator.ts';

export interface RouterOptions extends Omit<router.RouterOptions, 'kind' | 'profile' | 'offer'> {
  /** Model, firmware, language and form of the tables, as `--dialect` has it; the first one of the kind when absent. */
  dialect?: string;
  /** The folder of a capture (`gatehouse capture`), which is answered with its bytes and times instead of a table that moves. */
  capture?: string;
  /** Path of a file that `gatehouse replay export` wrote: the router shows the sessions of then, with the same gaps, from now on. */
  period?: string;
  /** Which router of the period, by its name; needed when there are several of the kind. */
  periodRouter?: string;
}

export interface AgentsOptions extends Omit<AgentOptions, 'holdClock'> {
  /** Path of a file that `gatehouse replay export` wrote: its Agents deliver what they saw then, with the same gaps, from now on. */
  period?: string;
}

/**
 * Starts a router with an SSH server; `url` is like `ssh://127.0.0.1:2221`. `flow` puts a session into its NAT table.
 * Rejects for an unknown dialect, for a folder that is no capture of this kind, for a file that is no period with such a router, for a port in use, and for an address beyond loopback without `allowNonLoopback`.
 */
export async function startRouter(kind: RouterKind, options: RouterOptions = {}) {
  const { dialect, capture, period, periodRouter = null, ...plain } = options;
  const captured = capture === undefined ? {} : toCapturedRouter(capture, kind);
  const now = (options.clock ?? systemClock).now();
  const played = period === undefined ? {} : planPeriodRouter(period, kind, periodRouter)(now);
  const given = { ...captured, ...played, ...plain, ...(dialect === undefined ? {} : { profile: dialect }) };
  return toRunning(await router.startRouter({ ...given, kind }), routerFaults);
}

/** Starts a UPS with its web UI over HTTPS; `fingerprint256` is that of its certificate. Rejects for an unknown locale. */
export async function startUps(options?: ups.UpsOptions) {
  return toRunning(await ups.startUps(options), upsFaults);
}

/** Starts an OIDC issuer; `issuer` is its identifier, as tokens name it, and `clients` has the secrets of its clients. */
export async function startIssuer(options?: oidc.IssuerOptions) {
  return toRunning(await oidc.startIssuer(options), issuerFaults);
}

/** Starts an MQTT broker; `url` is plain TCP and `tlsUrl` TLS, which the certificate `ca` verifies. */
export async function startBroker(options?: mqtt.BrokerOptions) {
  return toRunning(await mqtt.startBroker(options), brokerFaults);
}

/** Starts a Zabbix trapper; `values` has what was sent to it. */
export async function startTrapper(options?: trapper.TrapperOptions) {
  return toRunning(await trapper.startTrapper(options), trapperFaults);
}

/** Starts four threat feeds and three reputation services; each publisher is a folder below `url`. Rejects for a wrong row. */
export async function startFeeds(options?: feeds.FeedsOptions) {
  return toRunning(await feeds.startFeeds(options), feedFaults);
}

/** Starts a chat workspace; `url` is its web API and `messages` has what was posted. */
export async function startChat(options?: chat.ChatOptions) {
  return toRunning(await chat.startChat(options), chatFaults);
}

/** Starts four AI providers; `urls` has the address of each, and `keys` what it accepts. Rejects for invalid settings. */
export async function startAi(options?: ai.AiOptions) {
  return toRunning(await ai.startAi(options), aiFaults);
}

/** Starts the page of a mesh access point over HTTP; `credentials` has its login. */
export async function startMesh(options?: mesh.MeshOptions) {
  return toRunning(await mesh.startMesh(options), meshFaults);
}

/** Starts the HTTP interface of ClickHouse for inserts; `rows` has what was inserted. */
export async function startClickHouse(options?: clickHouse.ClickHouseOptions) {
  return toRunning(await clickHouse.startClickHouse(options), clickHouseFaults);
}

/**
 * Starts Agents, which are clients of the hub at `options.hub`; resolves when the hub has answered those with a code.
 * Rejects for a hub beyond loopback without `allowNonLoopback`.
 */
export async function startAgents({ period, ...options }: AgentsOptions) {
  const planned = period === undefined ? null : planPeriodAgents(period);
  const played = planned?.plan((options.clock ?? systemClock).now());
  return toRunning(await startAgent({ ...(planned && { count: planned.count }), ...played, ...options }), agentFaults);
}
