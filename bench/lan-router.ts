// A simulated router with a LAN of its own, the NUMBERth of several: what it shows is in the table of no other one.
// Arguments: KIND NUMBER SESSIONS LATENCY. Prints what `gatehouse sim` prints of a router, as far as a record needs it.
import { oneOfOption, wholeOption } from '#kernel/process/option-value.ts';
import { latencies } from '#simulators/router/latency.ts';
import { startRouter } from '#simulators/router/start.ts';
import type { RouterLine } from '../test/support/router-process.ts';

const [kind = '', number = '', sessions = '', latency = ''] = process.argv.slice(2);
const seed = wholeOption('number', number, [1, 254]);

const { url, credentials, settings } = await startRouter(oneOfOption('kind', kind, ['vendor_a', 'vendor_b']), {
  seed,
  sessions: wholeOption('sessions', sessions, [0, 65_000]),
  latency: oneOfOption('latency', latency, Object.keys(latencies) as (keyof typeof latencies)[]),
  settings: {
    lanAddress: `10.${seed}.0.1`,
    tableLimit: 100_000,
    // As its owner is told to set it: a pager waits for a key after every page.
    ...(kind === 'vendor_a' ? { lines: 'infinity' } : {}),
  },
});
const { user, password, enable: enablePassword } = credentials;
const { natDescriptor } = settings;
console.log(JSON.stringify({ url: url.href, user, password, enablePassword, natDescriptor } satisfies RouterLine));
