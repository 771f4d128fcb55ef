// `gatehouse sink backfill`.
import { limits } from '#contract/limits.ts';
import { wholeOption } from '#kernel/process/option-value.ts';
import { runProgram } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { type Clock, stopwatch } from '#kernel/time/clock.ts';
import { dataOption } from '../../../base/storage/commands/places.ts';
import type { ClosedHours } from '../../connections/closed-hours/type.ts';
import { openClient } from '../client.ts';
import { retryDelayMs } from '../retry.ts';
import type { ColumnName } from '../schema.ts';
import { createSender, type Sender, sinkTarget } from '../sender.ts';
import { createSinkStore, type SinkStore } from '../sink-store.ts';
import { openBeside, sinkPlaces } from './places.ts';

/** What the commands of the sink work with. */
export interface SinkDeps {
  clock: Clock;
  /** Opens the closed hours of a database. */
  openHours(file: string): ClosedHours;
  columns: readonly ColumnName[];
}

const usage = `Usage: gatehouse sink backfill [--again] [--pace MS] [--data DIR]

Sends every closed hour that the server did not confirm or that changed since; with --again every hour of the log, for a
table that was emptied or rebuilt. Rows that are there already are replaced. The hub may run. It can be stopped with
Ctrl-C at any time: the same command without --again goes on.

Options
  --again     send hours again that the server has confirmed
  --pace MS   rest between two inserts of up to 10,000 rows, 0 to 60000 (1000)
${dataOption}
  --help      this text
  --version   the version
`;

/** Failures in a row after which it gives up. */
const maxFailures = 6;

const options = { again: { type: 'boolean' }, pace: { type: 'string' }, data: { type: 'string' } } as const;

export function runBackfill(argv: readonly string[], { clock, openHours, columns }: SinkDeps): Promise<number> {
  return runProgram(argv, { name: 'sink backfill', usage, options }, async ({ again, pace, data }) => {
    const paceMs = wholeOption('pace', pace ?? String(limits.sinkPaceMs), [0, 60_000]);
    const { settings, file } = sinkPlaces(data);
    const signal = stopSignal();
    await using opened = new AsyncDisposableStack();
    const db = opened.adopt(openBeside(file), (open) => open.close());
    const client = opened.adopt(await openClient(settings, settings.writer), (open) => open.close());
    const store = createSinkStore(db);
    await store.open(sinkTarget(settings));
    await (again ? store.forget() : store.tryRefused());
    const sender = createSender({ clock, settings, store, hours: openHours(file), columns, client, paceMs });
    process.stdout.write(`${await sendAllHours(sender, store, clock, signal)}\n`);
  });
}

/** Resolves to a sentence of what was sent; rejects with one of what is left. */
async function sendAllHours(sender: Sender, store: SinkStore, clock: Clock, signal: AbortSignal): Promise<string> {
  const took = stopwatch(() => clock.monotonic());
  const sent = { hours: 0, rows: 0 };
  let failures = 0;
  let reason = 'Why is lastError of /api/status';
  const counted = () => `${sent.hours} hours with ${sent.rows} rows were sent`;
  const left = () => `${store.backlog().hours} hours are left: the same command without --again goes on`;
  try {
    await sender.look(signal, { sweeps: true });
    for (;;) {
      const step = await sender.step(signal);
      if (step.did === 'nothing') {
        const { refused } = store.backlog();
        if (refused > 0) {
          const sentence = `ClickHouse does not take the rows of ${refused} hours. ${reason}`;
          throw new Error(`${counted()}; ${sentence}: mend it, then the same command without --again tries them`);
        }
        return `${counted()} in ${Math.round(took() / 1000)} s`;
      }
      if (step.did === 'sent') {
        failures = 0;
        sent.hours += step.hours;
        sent.rows += step.rows;
        reportProgress(
          `${counted()}, ${Math.round(sent.rows / (took() / 1000))} a second, ${store.backlog().hours} hours to go`,
        );
      } else if (step.failure.kind === 'rows') {
        reason = step.failure.sentence;
        reportProgress(reason);
      } else {
        failures += 1;
        if (failures >= maxFailures) {
          throw new Error(`${step.failure.sentence}. ${counted()}, ${left()}`);
        }
        reportProgress(`${step.failure.sentence}; trying again`);
        await clock.sleep(retryDelayMs(failures - 1), signal);
      }
    }
  } catch (error) {
    if (signal.aborted) {
      throw new Error(`stopped; ${counted()}, ${left()}`, { cause: error });
    }
    throw error;
  }
}

/** On a terminal only. */
function reportProgress(line: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`${line}\n`);
  }
}
