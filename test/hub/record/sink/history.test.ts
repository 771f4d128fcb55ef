// Whatever happens to the log and on the way, the table that is left of all rows is the log.
import { expect, test } from 'vitest';
import { budget, runs } from '../../../support/property-runs.ts';
import { createDice } from '../../../support/random-log.ts';
import { runHistory } from '../../../support/sink-history.ts';
import { rowsOfLog, rowsOfServer, startSinkLab } from '../../../support/sink-lab.ts';

const faults = ['lost-answer', 'cut-connection', 'unavailable', 'bad-row'] as const;

test.each(Array.from({ length: runs(2, 8) }, (_, seed) => seed + 1))(
  `a random history of seed %i (${budget(2, 8, 'histories')})`,
  async (seed) => {
    await using scene = await startSinkLab();
    const { lab, server } = scene;
    const dice = createDice(seed);
    const { isWhole, steps } = await runHistory(lab, seed, 60, () => {
      server.fail(dice.pick(faults), { times: 1 + dice.whole(2) });
    });
    server.clearFaults();
    lab.time.now += 25 * 3_600_000;
    await lab.sendAll();
    const expected = rowsOfLog(lab.log, lab.time.now - 300_000);
    const held = rowsOfServer(server);
    expect(expected.length, steps.join(' ')).toBeGreaterThan(0);
    expect(isWhole ? held : held.filter((row) => expected.includes(row)), steps.join(' ')).toEqual(expected);
  },
);
