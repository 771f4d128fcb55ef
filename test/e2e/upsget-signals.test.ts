// SIGTERM at every step of upsget's reading, however the UPS holds it up: language back, nobody logged on, exit code 143.
import { describe, expect, test } from 'vitest';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import type { UpsFault } from '#simulators/ups/faults.ts';
import { startUpsLab } from '../support/ups-lab.ts';
import { listRequests, startUpsget } from '../support/upsget.ts';

interface Step {
  path: string;
  skip: number;
  page?: boolean;
}

/** The requests of a reading in Japanese, in order; each is the occasion `skip` of its path. Three give a page. */
const steps: readonly Step[] = [
  { path: '/status', skip: 0 },
  { path: '/logon', skip: 0, page: true },
  { path: '/j_security_check', skip: 0 },
  { path: '/status', skip: 1, page: true },
  { path: '/setLocale', skip: 0 },
  { path: '/status', skip: 2, page: true },
  { path: '/setLocale', skip: 1 },
  { path: '/logoff', skip: 0 },
];

type How = FaultOptions & { fault: UpsFault };
/** Not answered; answered later than the signal; never answered though done; answered so slowly that the signal comes within. */
const ways: readonly How[] = [
  { fault: 'hang' },
  { fault: 'slow', value: 1_000 },
  { fault: 'hang', value: 'after' },
  { fault: 'trickle', value: 100 },
];

const combinations = steps.flatMap(({ path, skip, page = false }, at) =>
  ways.filter(({ fault }) => page || fault !== 'trickle').map((way) => ({ path, skip, ...way, number: at + 1 })),
);

describe('SIGTERM', () => {
  test.concurrent.each(combinations)(
    'in request $number, $path, which is held up by $fault $value',
    async ({ number, path, skip, ...way }) => {
      await using lab = await startUpsLab({ settings: { locale: 'ja' } });
      const { fault, ...options } = way;
      lab.ups.fail(fault, { ...options, command: path, skip, times: 1 });
      await using program = startUpsget([], { ups: lab.ups });
      await expect.poll(() => listRequests(lab.ups).length).toBeGreaterThanOrEqual(number);
      program.kill('SIGTERM');
      const ended = await program.ended;
      expect(ended).toEqual({ code: 143, signal: null });
      expect(program.stderr()).toBe('Error: ended by SIGTERM\n');
      expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0, owner: null });
    },
  );
});
