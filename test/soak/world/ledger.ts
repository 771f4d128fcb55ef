// What clients wrote and were answered: notes and settings, one writer at a time, and what must therefore be read again.
import { ClientError } from '#kernel/http/client.ts';
import type { Chance } from '../chance.ts';
import { type Ending, Register } from '../register.ts';
import type { HubLives } from './hub.ts';

/** Not in the network of the simulated home: no device is known by them, and their notes keep their keys. */
const addresses = Array.from({ length: 12 }, (_, index) => `10.99.0.${index + 1}`);
const retentions = [365, 730] as const;
const countries = ['DE', 'FR', 'JP', 'US', 'NZ'] as const;

export interface Ledger {
  /**
   * One write, which resolves to null; or one comparison of everything with what the hub shows, which resolves to what does
   * not agree.
   */
  step(): Promise<string[] | null>;
  /** Resolves when no write is under way; none begins until `release`. */
  hold(): Promise<void>;
  release(): void;
  /** What is there now, for a backup: call it while held. */
  snapshot(): () => void;
  readonly acknowledged: number;
}

export function createLedger(hub: Pick<HubLives, 'admin'>, chance: Chance): Ledger {
  const notes = new Map<string, Register<string>>();
  const keys = new Map<string, string>();
  const general = {
    retentionDays: new Register<unknown>('the setting general.retentionDays', 730),
    homeCountry: new Register<unknown>('the setting general.homeCountry', 'JP'),
  };
  const state = { acknowledged: 0, steps: 0 };
  let held: Promise<void> | null = null;
  let letGo: () => void = () => undefined;
  let running: Promise<unknown> = Promise.resolve();

  const write = async (begin: () => (ending: Ending) => void, send: () => Promise<unknown>) => {
    const end = begin();
    try {
      await send();
      state.acknowledged += 1;
      end('acknowledged');
    } catch (error) {
      // A refusal with a status is one; 5xx may have happened.
      end(error instanceof ClientError && error.status < 500 ? 'refused' : 'unknown');
    }
  };
  const writeNote = () => {
    const ip = chance.pick(addresses);
    const note = `note ${state.steps}`;
    const register = notes.get(ip) ?? new Register<string>(`the note of ${ip}`, '');
    notes.set(ip, register);
    return write(
      () => register.begin(note),
      async () => {
        keys.set(ip, (await hub.admin.notes.write({ body: { ip, note } })).key);
      },
    );
  };
  const writeSetting = () => {
    if (chance.happens(0.5)) {
      const retentionDays = chance.pick(retentions);
      return write(
        () => general.retentionDays.begin(retentionDays),
        () => hub.admin.config.saveGeneral({ body: { retentionDays } }),
      );
    }
    const homeCountry = chance.pick(countries);
    return write(
      () => general.homeCountry.begin(homeCountry),
      () => hub.admin.config.saveGeneral({ body: { homeCountry } }),
    );
  };
  const compare = async (): Promise<string[] | null> => {
    let shown: { notes: Record<string, string>; retentionDays: number; homeCountry: string };
    try {
      const { notes: all } = await hub.admin.notes.list({});
      shown = { ...(await hub.admin.config.general({})), notes: all };
    } catch {
      // Whether it answers is judged elsewhere.
      return null;
    }
    return [
      ...[...notes].flatMap(([ip, register]) => {
        const key = keys.get(ip);
        return key === undefined ? [] : (register.problem(shown.notes[key] ?? '') ?? []);
      }),
      ...[general.retentionDays.problem(shown.retentionDays), general.homeCountry.problem(shown.homeCountry)].flatMap(
        (problem) => problem ?? [],
      ),
    ];
  };
  return {
    get acknowledged() {
      return state.acknowledged;
    },
    step() {
      const work = async () => {
        await held;
        state.steps += 1;
        if (state.steps % 4 === 0) {
          return compare();
        }
        await (chance.happens(0.8) ? writeNote() : writeSetting());
        return null;
      };
      const step = running.then(work);
      running = step.catch(() => undefined);
      return step;
    },
    async hold() {
      const before = running;
      held = new Promise((resolve) => {
        letGo = resolve;
      });
      await before;
    },
    release() {
      letGo();
      held = null;
    },
    snapshot() {
      const then = [...notes].map(([ip, register]) => [ip, register.possible()] as const);
      return () => {
        for (const [ip, possible] of then) {
          const [first = '', ...others] = possible;
          const register = new Register(`the note of ${ip} after a restore`, first);
          for (const other of others) {
            register.begin(other)('unknown');
          }
          notes.set(ip, register);
        }
        for (const ip of notes.keys()) {
          if (!then.some(([known]) => known === ip)) {
            notes.set(ip, new Register<string>(`the note of ${ip} after a restore`, ''));
          }
        }
      };
    },
  };
}
