// Plays the recorded dialogues against the command languages: every answer must be the recorded one.
import { describe, expect, test } from 'vitest';
import type { Vendor } from '#simulators/router/vendor.ts';
import { vendorA } from '#simulators/router/vendor-a.ts';
import { vendorB } from '#simulators/router/vendor-b.ts';
import { expectedOf, type FrozenOptions, fixture, frozenTable, frozenWorld } from '../support/frozen-world.ts';
import { type Dialogue, encoded, startDialogue } from '../support/vendor-dialogue.ts';
import { verifies } from '../support/verifies.ts';

interface Step {
  d: 's' | 'c';
  ms: number;
  x?: string;
  hex?: string;
  file?: string;
  event?: string;
}

interface Turn {
  /** Without its line end; a key when it had none. */
  typed: string;
  answer: Buffer;
  closes: boolean;
}

/** The router's first words, and what it answered to every line typed. */
function transcript(path: string): { opening: Buffer; turns: readonly Turn[] } {
  const steps = fixture(path)
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Step);
  let opening = Buffer.alloc(0);
  const turns: Turn[] = [];
  for (const step of steps) {
    if (step.d === 'c') {
      turns.push({ typed: (step.x ?? '').replace(/[\r\n]+$/, ''), answer: Buffer.alloc(0), closes: false });
      continue;
    }
    const said = step.file
      ? fixture(path.replace(/transcripts\/.*$/, step.file.replace('../', '')))
      : Buffer.from(step.hex ?? Buffer.from(step.x ?? '').toString('hex'), 'hex');
    const turn = turns.at(-1);
    if (turn) {
      turn.answer = Buffer.concat([turn.answer, said]);
      turn.closes ||= step.event === 'close';
    } else {
      opening = Buffer.concat([opening, said]);
    }
  }
  return { opening, turns };
}

interface Options {
  privileged?: boolean;
  banner?: true;
  /** Done before the turn of that number. */
  before?: Readonly<Record<number, () => void>>;
}

function replay(vendor: Vendor, world: ReturnType<typeof frozenWorld>, path: string, options: Options = {}): Dialogue {
  const { opening, turns } = transcript(path);
  const dialogue = startDialogue(vendor, world, options.privileged ?? false);
  const banner = options.banner ? vendor.banner(world).map((line) => `${line}\r\n`) : [];
  expect([...banner, vendor.prompt(world, dialogue.login)].join('')).toBe(opening.toString('latin1'));
  for (const [number, turn] of turns.entries()) {
    options.before?.[number]?.();
    const shown = dialogue.type(turn.typed);
    // On vendor_b `exit` is echoed like every line; the recording leaves that out.
    const answer = turn.closes && turn.answer.length === 0 ? Buffer.from(`${turn.typed}\r\n`) : turn.answer;
    expect(encoded(vendor, world, shown).toString('latin1')).toBe(answer.toString('latin1'));
  }
  // A recording may end with `exit` before the connection closes; none may go on behind it.
  expect(dialogue.closed).toBe(turns.some(({ closes }) => closes) || turns.at(-1)?.answer.toString() === 'exit\r\n');
  return dialogue;
}

describe('vendor_a', () => {
  const nat = frozenTable('vendor_a', expectedOf('yamaha/synthetic/nat_detail.expected.json'));
  const english = (options: FrozenOptions = {}) =>
    frozenWorld('vendor_a', { ...options, settings: { character: 'en.ascii', ...options.settings } });
  const recorded = (name: string) => `yamaha/transcripts/${name}.jsonl`;

  verifies('sim.router.escalation', 'administrator with the right password, and back', () => {
    replay(vendorA, english(), recorded('administrator_ok'));
  });

  verifies('sim.router.escalation', 'administrator with a wrong password, in Japanese', () => {
    const dialogue = replay(vendorA, frozenWorld('vendor_a'), recorded('administrator_wrong_password.ja'));
    expect(dialogue.login.privileged).toBe(false);
    expect(dialogue.waited).toBe(900);
  });

  test('the last exit asks to save, and N leaves the settings unsaved', () => {
    const world = english();
    replay(vendorA, world, recorded('exit_asks_to_save'), { privileged: true });
    expect(world.settings).toMatchObject({ lines: 'infinity', changed: true });
  });

  test('console lines 0 is out of range and changes nothing', () => {
    const world = english();
    replay(vendorA, world, recorded('lines_zero_rejected'));
    expect(world.settings).toMatchObject({ lines: 24, changed: false });
  });

  test('login, settings, table', () => {
    const world = frozenWorld('vendor_a', { nat });
    // The recording exits without the question although settings were changed; here somebody has saved them.
    const before = { 3: () => world.change({ changed: false }) };
    const path = recorded('login_poll_logout.en');
    expect(transcript(path).turns[3]?.typed).toBe('exit');
    expect(replay(vendorA, world, path, { banner: true, before }).closed).toBe(true);
  });
});

describe('vendor_b', () => {
  const nat = frozenTable('vendor_b', expectedOf('cisco/synthetic/nat.expected.json'));
  const world = (options: FrozenOptions = {}) =>
    frozenWorld('vendor_b', {
      nat,
      enable: 's3cret',
      ...options,
      settings: { lanAddress: '192.168.100.1', wanAddress: '203.0.113.24' },
    });
  const recorded = (name: string) => `cisco/transcripts/${name}.jsonl`;

  verifies('sim.router.escalation', 'login, enable, terminal settings, table, exit', () => {
    const { login } = replay(vendorB, world(), recorded('login_enable_poll'), { banner: true });
    expect(login).toMatchObject({ privileged: true, length: 0, width: 0 });
  });

  verifies('sim.router.escalation', 'enable gives up after three wrong secrets', () => {
    const dialogue = replay(vendorB, world(), recorded('enable_bad_secrets'));
    expect(dialogue.login.privileged).toBe(false);
    expect(dialogue.waited).toBe(2700);
  });

  test('enable without a secret set', () => {
    replay(vendorB, world({ enable: null }), recorded('enable_no_password_set'));
  });

  test('privilege 15 lands on # and enable asks nothing', () => {
    replay(vendorB, world({ privileged: true }), recorded('login_privilege_15'), { banner: true });
  });

  test('a lone unknown word is looked up as a host', () => {
    expect(replay(vendorB, world(), recorded('typo_dns_lookup_stall')).waited).toBe(9000);
  });

  test('the NAT table is refused at user level', () => {
    const { turns } = transcript(recorded('user_level_verbose_denied'));
    const dialogue = startDialogue(vendorB, world());
    const shown = dialogue.type('show ip nat translations verbose');
    // The recording has the caret in a column of its own; here it stands under the word that is refused.
    const anyColumn = (text: string) => text.replace(/^ +\^/m, '^');
    expect(anyColumn(shown)).toBe(anyColumn(turns[0]?.answer.toString('latin1') ?? ''));
    expect(shown).toContain(`\r\n${' '.repeat('edge-rtr1>show ip '.length)}^\r\n`);
  });
});
