// `npm run bench:seed -- --rows N --data DIR`: writes a data directory that a hub serves.
import { parseArgs } from 'node:util';
import { messageOf } from '#kernel/errors.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { seedLog } from './seed.ts';

const usage = `Usage: npm run bench:seed -- --rows N --data DIR

Writes DIR/monitor.db with N flows: 60 sources, 40,000 destinations, 14 days, always the same. Serve it with
gatehouse hub --data DIR

Options
  --rows N    flows, 1,000 to 10,000,000
  --data DIR  folder; it must hold no monitor.db yet
  --help      this text
`;

async function main(): Promise<number> {
  const options = {
    rows: { type: 'string' },
    data: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const rows = /^\d{1,8}$/.test(values.rows ?? '') ? Number(values.rows) : 0;
  if (rows < 1000 || rows > 10_000_000 || !values.data) {
    process.stderr.write('bench:seed: --rows takes 1000 to 10000000, --data a folder (see --help)\n');
    return 2;
  }
  const progress = (text: string) => process.stderr.isTTY && process.stderr.write(`${text}\n`);
  const seeded = await seedLog({ rows, dataDir: values.data, now: systemClock.now(), progress });
  const share = ((100 * seeded.coverageBytes) / seeded.bytes).toFixed(2);
  console.log(
    `${seeded.flows} flows, ${seeded.hours} hourly buckets, ${seeded.bytes} bytes in ${values.data}, ${seeded.coverageBytes} of them coverage (${share} %)`,
  );
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`bench:seed: ${messageOf(error).split('. ')[0]}\n`);
  process.exitCode = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') ? 2 : 1;
}
