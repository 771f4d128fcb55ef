// Fixtures for vitest: `import { test } from 'gatehouse-simulators/vitest'`. A test gets each simulator that it names.
import { test as base } from 'vitest';
import * as simulators from './index.ts';

const starters = {
  vendorA: (options?: simulators.RouterOptions) => simulators.startRouter('vendor_a', options),
  vendorB: (options?: simulators.RouterOptions) => simulators.startRouter('vendor_b', options),
  ups: simulators.startUps,
  issuer: simulators.startIssuer,
  broker: simulators.startBroker,
  trapper: simulators.startTrapper,
  feeds: simulators.startFeeds,
  chat: simulators.startChat,
  ai: simulators.startAi,
  mesh: simulators.startMesh,
  clickHouse: simulators.startClickHouse,
  async agents(options?: simulators.AgentsOptions) {
    if (options === undefined) {
      throw new Error(
        'agents has no hub: give one with test.extend({ options: { agents: { hub: new URL("http://…") } } })',
      );
    }
    return simulators.startAgents(options);
  },
};

type Starters = typeof starters;

/** The options of each simulator by the name of its fixture; only `agents` needs them. */
export type FixtureOptions = { [Name in keyof Starters]?: Parameters<Starters[Name]>[0] };

/** What a test can name: a simulator of its own, on a free port of loopback, which ends with the test. */
export type Fixtures = { [Name in keyof Starters]: Awaited<ReturnType<Starters[Name]>> };

type Start = (options?: unknown) => Promise<AsyncDisposable>;
type Use = (simulator: AsyncDisposable) => Promise<void>;

/** vitest reads the names of other fixtures from the text of this function: the first parameter stays a pattern. */
const createFixture =
  (name: keyof Starters) =>
  async ({ options }: { options: FixtureOptions }, use: Use): Promise<void> => {
    await using simulator = await (starters[name] as Start)(options[name]);
    await use(simulator);
  };

const fixtures = Object.fromEntries(
  Object.keys(starters).map((name) => [name, createFixture(name as keyof Starters)]),
) as object as Fixtures;

/** vitest's `test` with a fixture for each simulator: `test.extend({ options: { vendorA: { seed: 7 } } })` sets options. */
export const test = base.extend<{ options: FixtureOptions } & Fixtures>({ options: {}, ...fixtures });
