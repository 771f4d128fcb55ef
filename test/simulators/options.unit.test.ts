// Options of `gatehouse sim` and of the start functions are one table: what is on one side alone is listed here with its reason.
// The lists are checked by the compiler, which knows the options of the functions: `npm run check` fails without a line.
import { expect, test } from 'vitest';
import { agentOptions } from '#simulators/agent/command.ts';
import type { AiOptions } from '#simulators/ai/ai.ts';
import { aiOptions } from '#simulators/ai/command.ts';
import type { chatOptions } from '#simulators/chat/command.ts';
import type { ChatOptions } from '#simulators/chat/workspace.ts';
import type { ClickHouseOptions } from '#simulators/clickhouse/clickhouse.ts';
import { commands } from '#simulators/commands.ts';
import { feedsOptions } from '#simulators/feeds/command.ts';
import type { FeedsOptions } from '#simulators/feeds/feeds.ts';
import type { AgentsOptions, RouterOptions, SimulatorOptions } from '#simulators/index.ts';
import type { MeshOptions } from '#simulators/mesh/access-point.ts';
import type { meshOptions } from '#simulators/mesh/command.ts';
import type { BrokerOptions } from '#simulators/mqtt/broker.ts';
import { brokerOptions } from '#simulators/mqtt/command.ts';
import { issuerOptions } from '#simulators/oidc/command.ts';
import type { IssuerOptions } from '#simulators/oidc/issuer.ts';
import { describeDifferences, formatOptions, type OptionTable } from '#simulators/option-table.ts';
import { routerOptions } from '#simulators/router/command.ts';
import type { trapperOptions } from '#simulators/trapper/command.ts';
import type { TrapperOptions } from '#simulators/trapper/trapper.ts';
import { upsOptions } from '#simulators/ups/command.ts';
import type { UpsOptions } from '#simulators/ups/ups.ts';

/** Options that every kind has on both sides: --host, --port, --seed. */
type Common = keyof SimulatorOptions | 'seed';
type TopName<Name> = Name extends `${infer Top}.${string}` ? Top : Name;

/** A reason for each option of a start function that the command line does not set. */
type OnlyInCode<Options, Table extends OptionTable = Record<never, never>> = Record<
  Exclude<keyof Options & string, Common | TopName<Table[keyof Table]['api']>>,
  string
>;

const structured = 'takes an object, a list or a function, which one word does not carry';
const scenario = 'a scenario has it, as commands or as its world';
const edge = 'for a test of one limit, time or name; the command has the usual one';

const onlyInCode = {
  router: {
    commands: scenario,
    hosts: scenario,
    traffic: scenario,
    destinations: scenario,
    flows: structured,
    credentials: structured,
    settings: structured,
    timers: structured,
    latency: structured,
    methods: structured,
    vendor: structured,
    hostKey: structured,
    loginBanner: edge,
    sessionLimit: edge,
    idleMs: edge,
    loginMs: edge,
    deafMs: edge,
    allowedSessions: edge,
  } satisfies OnlyInCode<RouterOptions, typeof routerOptions>,
  ups: { values: structured, certificate: structured } satisfies OnlyInCode<UpsOptions, typeof upsOptions>,
  issuer: {
    certificate: structured,
    users: structured,
    clients: structured,
    issuer: edge,
    hubSecret: edge,
    readScope: edge,
    writeScope: edge,
    resources: edge,
  } satisfies OnlyInCode<IssuerOptions, typeof issuerOptions>,
  broker: { certificate: structured } satisfies OnlyInCode<BrokerOptions, typeof brokerOptions>,
  trapper: {} satisfies OnlyInCode<TrapperOptions, typeof trapperOptions>,
  feeds: { rows: structured } satisfies OnlyInCode<FeedsOptions, typeof feedsOptions>,
  chat: {} satisfies OnlyInCode<ChatOptions, typeof chatOptions>,
  clickHouse: { settings: structured, tls: structured } satisfies OnlyInCode<ClickHouseOptions>,
  ai: { signatureClock: structured } satisfies OnlyInCode<AiOptions, typeof aiOptions>,
  mesh: {} satisfies OnlyInCode<MeshOptions, typeof meshOptions>,
  agents: { machines: structured, claimEveryMs: edge, timeoutMs: edge } satisfies OnlyInCode<
    AgentsOptions,
    typeof agentOptions
  >,
};

test('what the command line alone has is one file that it writes', () => {
  const alone = commands.flatMap(({ kind, options }) =>
    Object.entries(options).flatMap(([name, { api }]) => (api === null ? [`${kind} --${name}`] : [])),
  );
  expect(alone).toEqual(['mqtt --ca-file']);
});

test('no option is in its table and in the list of those that the command line does not set', () => {
  const tables = { router: routerOptions, ups: upsOptions, issuer: issuerOptions, broker: brokerOptions };
  const more = { feeds: feedsOptions, ai: aiOptions, agents: agentOptions };
  for (const [kind, table] of Object.entries({ ...tables, ...more })) {
    const inCode = Object.keys(onlyInCode[kind as keyof typeof onlyInCode]);
    const inTable = Object.values(table as OptionTable).map(({ api }) => api);
    expect(inCode.filter((name) => inTable.includes(name))).toEqual([]);
  }
});

test('a table gives the lines of --help, and the rows of options that differ in code', () => {
  const table: OptionTable = {
    'legacy-crypto': { says: 'offers old ciphers', api: 'legacyCrypto' },
    'access-token-ttl': { takes: 'S', says: 'lifetime\nin seconds', api: 'accessTokenTtlMs', differs: 'milliseconds' },
    'ca-file': { takes: 'FILE', says: 'writes a file', api: null, differs: 'a result' },
  };
  expect(formatOptions(table)).toBe(`  --legacy-crypto          offers old ciphers
  --access-token-ttl S     lifetime
                           in seconds
  --ca-file FILE           writes a file
`);
  expect(describeDifferences('oidc', table)).toEqual([
    '| oidc | `--access-token-ttl S` | `accessTokenTtlMs` | milliseconds |',
    '| oidc | `--ca-file FILE` | none | a result |',
  ]);
});
