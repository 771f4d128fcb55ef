// What the repository is and ships (docs/reference/specification.md#design-card).
import { type Requirement, stated } from './requirement.ts';

export const card: readonly Requirement[] = [
  ...stated(0, 'preferred language', {
    'card.language.typescript': 'the project is written in TypeScript',
  }),
  ...stated(0, 'shape', {
    'card.ships.hub': 'the repository ships the hub',
    'card.ships.vendor-a-simulator': 'the repository ships a simulator of vendor_a routers',
    'card.ships.vendor-b-simulator': 'the repository ships a simulator of vendor_b routers',
    'card.ships.issuer-simulator': 'the repository ships an OIDC issuer simulator',
    'card.ships.mcp-server': 'the repository ships the MCP server',
    'card.ships.upsget': 'the repository ships upsget',
  }),
  ...stated(0, 'shape', {
    'card.ups-simulator.element-ids': 'the UPS web UI simulator has the element ids of version 1.4.0',
    'card.ups-simulator.locale': 'the UPS web UI simulator switches locale',
    'card.ups-simulator.one-session': 'the UPS web UI simulator admits one session at a time',
    'card.ships.mqtt-simulator': 'the repository ships an MQTT broker simulator',
  }),
  ...stated(0, 'shape', {
    'card.ships.gate': 'the repository ships the schema-v3 evidence gate CLI',
    'card.gate.probes-staged': 'the gate probes a staged endpoint',
  }),
  ...stated(0, 'packages', {
    'card.packages.fastify': 'fastify is a dependency',
    'card.packages.better-sqlite3': 'better-sqlite3 is a dependency',
    'card.packages.undici': 'undici is a dependency',
    'card.packages.vitest': 'vitest is a dependency',
    'card.packages.tsx': 'tsx is a dependency',
    'card.packages.jose': 'jose is a dependency',
    'card.packages.oidc-provider': 'oidc-provider is a dependency',
    'card.packages.mcp-sdk': 'the MCP SDK of @modelcontextprotocol is a dependency',
    'card.packages.mqtt': 'mqtt is a dependency',
    'card.packages.aedes': 'aedes is a dependency',
    'card.packages.msw': 'msw is a dependency',
  }),
  ...stated(0, 'packages', {
    'card.packages.testcontainers': 'testcontainers is a dependency',
  }),
  ...stated(0, 'top-level', {
    'card.layout.present': 'package.json, src, simulators, fixtures, test and tsconfig.json lie at the top level',
  }),
  ...stated(0, 'top-level', {
    'card.layout.gate': 'gate lies at the top level',
  }),
  ...stated(0, 'top-level', {
    'card.layout.compose': 'compose.yaml lies at the top level',
  }),
  ...stated(0, 'used-by', {
    'card.used-by.ci-without-hardware': 'CI runs full end-to-end suites without hardware',
  }),
  ...stated(0, 'used-by', {
    'card.used-by.gate-before-dns': 'operators run the publication gate before DNS',
    'card.used-by.refresh-replay': 'refresh-replay evidence can be collected',
  }),
  ...stated(0, 'used-by', {
    'card.used-by.ups-html-change': 'developers can reproduce UPS HTML changes',
  }),
];
