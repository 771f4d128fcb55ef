// `gatehouse sim lab` as a script uses it: where the simulators are, what is written, and how it ends.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { utcTime } from '#kernel/time/clock.ts';
import { startAgentHub } from '../support/agent-hub.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { openSession } from '../support/router-session.ts';
import { temporaryFolder, writeTree } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => path.join(folder.path, name);
const lab = ['src/main.ts', 'sim', 'lab'];

writeTree(folder.path, {
  'open.yaml': 'simulators:\n  edge: { kind: vendor_b, dialect: c841m-ios155 }\n  ups: { kind: ups, seed: 0 }\n',
  'good.yaml': 'simulators:\n  edge: { kind: vendor_b }\ntimeline:\n  - { at: 5s, reboot: 1s }\n',
  'fails.yaml': 'simulators:\n  edge: { kind: vendor_b }\ntimeline:\n  - { at: 1s, device: { name: printer } }\n',
  'late.yaml': 'simulators:\n  edge: { kind: vendor_b }\ntimeline:\n  - { at: 9h, reboot: 1s }\n',
  'wrong.yaml': 'simulators:\n  edge: { kind: vendor_b, sesions: 5 }\n',
});

verifies(
  'sim.lab.exit-code',
  'runs until it is interrupted, and tells where its simulators are when all listen',
  async () => {
    await using program = startProgram([...lab, at('open.yaml'), '--ready-file', at('ready'), '--journal', at('open')]);
    await program.printed(/"name":"ups"/);
    const lines = readFileSync(at('ready'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Record<string, string>)).toMatchObject([
      { name: 'edge', simulator: 'vendor_b', dialect: 'c841m-ios155', url: expect.stringMatching(/^ssh:/) },
      { name: 'ups', simulator: 'ups', control: expect.stringMatching(/^http:/) },
    ]);
    const { url, user, password } = JSON.parse(lines[0] ?? '') as Record<'url' | 'user' | 'password', string>;
    {
      await using session = await openSession({ url: new URL(url), credentials: { user, password } });
      expect(await session.run('show clock')).toMatch(/Mon Jan 5 2026/);
    }
    program.kill('SIGINT');
    expect({ ...(await program.ended), said: program.stderr() }).toMatchObject({
      code: 0,
      said: expect.not.stringContaining('Error'),
    });
    expect(readFileSync(at('open'), 'utf8')).toMatch(
      /"simulator":"edge","kind":"command","session":1,"command":"show clock"/,
    );
  },
);

verifies('sim.lab.exit-code', 'ends with 0, 1 or 2, and says why on one line', async () => {
  const fast = ['--speed', 'max'];
  expect(await runProgram([...lab, at('good.yaml'), ...fast])).toMatchObject({ code: 0 });
  const failed = await runProgram([...lab, at('fails.yaml'), ...fast]);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(
    /\ngatehouse sim lab: fails\.yaml, line 4, column 15: the step device failed on edge at 1s: .* host printer already\n$/,
  );
  const wrong = await runProgram([...lab, at('wrong.yaml')]);
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toMatch(/^gatehouse sim lab: wrong\.yaml, line 2, column 27: sesions is not known here; .*\n$/);
  await using late = startProgram([...lab, at('late.yaml')]);
  await late.printed(/"name":"edge"/);
  late.kill('SIGINT');
  expect(await late.ended).toEqual({ code: 1, signal: null });
  expect(late.stderr()).toMatch(/^gatehouse sim lab: stopped by SIGINT at .*: 1 of 1 steps were not reached\n$/m);
});

verifies('sim.lab.agents', 'a day of an Agent at once, as soon as its hub has approved it', async () => {
  await using hub = await startAgentHub(() => utcTime(2026, 1, 5));
  const agent = `{ kind: agent, hub: "${hub.url.origin}", code: ${hub.code()}, rate: 0 }`;
  const report = 'report: [{ program: mail, dst: 203.0.113.25, dport: 993 }]';
  writeTree(folder.path, {
    'day.yaml': `simulators:\n  agent: ${agent}\ntimeline:\n  - { at: 1h, every: 1h, until: 24h, ${report} }\n`,
  });
  await using program = startProgram([...lab, at('day.yaml'), '--speed', 'max', '--journal', at('day')]);
  const [line = ''] = await program.printed(/^.*"name":"agent".*$/m);
  await expect.poll(program.stderr).toContain('the clock stands until the hub has decided on every Agent that applied');
  const { agents } = JSON.parse(line) as { agents: { requestId: string }[] };
  hub.approve(agents[0]?.requestId ?? '');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(hub.batches()).toHaveLength(24);
  expect(readFileSync(at('day'), 'utf8').match(/"does":"report"/g)).toHaveLength(24);
});

test.each([
  [[], 'needs a scenario (see --help)'],
  [['none.yaml'], 'there is no file none.yaml, and no scenario of this name is shipped; --list names those that are'],
  [['/dev/zero'], '/dev/zero: cannot be read: it has more than 1048576 bytes'],
  [[at('open.yaml'), '--speed', '0'], '--speed must be max or a number from 0.01 to 100000'],
  [[at('open.yaml'), '--speed', 'max'], '--speed max needs an end'],
  [[at('open.yaml'), '--hub', 'hub:3000'], '--hub must be the address of a hub, such as http://127.0.0.1:3000'],
  [[at('open.yaml'), '--start', 'yesterday'], '--start must be now or a time'],
  [[at('open.yaml'), '--duration', '5'], '--duration must be a duration such as 90s'],
  [[at('open.yaml'), '--seed', '-1'], '--seed'],
  [[at('open.yaml'), '--journal', '/nowhere/x'], '--journal: /nowhere/x cannot be written'],
  [[at('open.yaml'), '--ready-file', '/nowhere/x'], '--ready-file: /nowhere/x cannot be written'],
  [[at('open.yaml'), '--journal', at('open.yaml')], 'open.yaml is the scenario: name another file'],
  [[at('open.yaml'), '--ready-file', at('x'), '--journal', at('x')], 'x is that of --ready-file: name another file'],
  [[at('open.yaml'), '--host', '0.0.0.0'], 'a simulator does not listen on 0.0.0.0: use 127.0.0.1, or set SIM_'],
])('%j: one line on stderr, exit 2, nothing written', async (args, naming) => {
  const scenario = readFileSync(at('open.yaml'), 'utf8');
  const { code, stdout, stderr } = await runProgram([...lab, ...args]);
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 });
  expect(stderr).toContain(naming);
  expect(readFileSync(at('open.yaml'), 'utf8')).toBe(scenario);
  expect(existsSync(at('x'))).toBe(false);
});

verifies(
  'sim.lab.replicas',
  'replicas listen on consecutive ports, each with a table and answers of its own',
  async () => {
    writeTree(folder.path, {
      'many.yaml': `simulators:
  edge:
    kind: vendor_b
    replicas: 20
    port: 28400
    sessions: 3
    commands:
      show inventory: { file: answers/inventory.txt }
timeline:
  - { at: 1s, on: edge-7, flow: { src: printer, dst: 203.0.113.7, dport: 443 } }
  - { at: 2s, clear: faults }
`,
      'answers/inventory.txt': 'one chassis\n',
    });
    await using program = startProgram([...lab, at('many.yaml'), '--journal', at('many'), '--duration', '1h']);
    const [line = ''] = await program.printed(/^.*"name":"edge-20".*$/m);
    const { url, user, password } = JSON.parse(line) as Record<'url' | 'user' | 'password', string>;
    expect(url).toMatch(/:28419$/);
    {
      await using session = await openSession({ url: new URL(url), credentials: { user, password } });
      expect(await session.run('show inventory')).toContain('\r\none chassis\r\n');
    }
    program.kill('SIGTERM');
    await program.ended;
    const { code } = await runProgram([...lab, at('many.yaml'), '--journal', at('many'), '--speed', 'max']);
    expect(code).toBe(0);
    const journal = readFileSync(at('many'), 'utf8').trim().split('\n');
    const ends = journal
      .map((entry) => JSON.parse(entry) as Record<string, string>)
      .filter(({ kind }) => kind === 'end');
    expect(new Set(ends.map(({ table }) => table)).size).toBe(20);
    expect(journal.filter((entry) => entry.includes('"does":"flow"'))).toHaveLength(1);
    expect(journal.filter((entry) => entry.includes('"does":"clear"'))).toHaveLength(20);
  },
);

test('a port in use is one sentence, and ends what has started; no ready file of an earlier run stays', async () => {
  await using first = startProgram([...lab, at('open.yaml')]);
  const [line = ''] = await first.printed(/^.*"name":"edge".*$/m);
  const { port } = new URL((JSON.parse(line) as { url: string }).url);
  writeTree(folder.path, {
    'taken.yaml': `simulators:\n  free: { kind: ups, seed: 0 }\n  edge: { kind: vendor_b, port: ${port} }\n`,
    earlier: '{"name":"edge"}\n',
  });
  const { code, stdout, stderr } = await runProgram([...lab, at('taken.yaml'), '--ready-file', at('earlier')]);
  expect(existsSync(at('earlier'))).toBe(false);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/port \d+ of 127\.0\.0\.1 is in use: .* with port in the scenario\n$/);
});

test('a shipped scenario runs by its name, and --list has it with its sentence', async () => {
  const listed = await runProgram([...lab, '--list']);
  expect(listed.stdout.trim().split('\n')).toHaveLength(7);
  expect(listed.stdout).toMatch(/^(?:.{23}[A-Z].*\n){7}$/);
  expect(listed.stdout).toMatch(/^quiet-home +A household in which nothing special happens/m);
  const run = await runProgram([...lab, 'quiet-home', '--speed', 'max', '--journal', at('quiet')]);
  expect(run.code).toBe(0);
  expect(readFileSync(at('quiet'), 'utf8')).toContain('"at":7200000,"simulator":"router","kind":"end","sessions":');
});

test('the world of the demo runs alone, on free ports, and its Agent is for the hub that is named', async () => {
  await using program = startProgram([...lab, 'demo', '--start', 'now', '--free-ports', '--hub', 'http://127.0.0.1:9']);
  await program.printed(/^.*"name":"agent".*$/m);
  const lines = program.stdout().trim().split('\n');
  const simulators = new Map(
    lines.map((line) => JSON.parse(line) as Record<string, string>).map((one) => [one.name, one] as const),
  );
  expect(simulators.size).toBe(11);
  expect(simulators.get('agent')).toMatchObject({ hub: 'http://127.0.0.1:9/' });
  expect(simulators.get('vendor-a')?.url).not.toMatch(/:2221$/);
  const state = await fetch(`${simulators.get('mesh')?.control}/state`);
  expect(await state.json()).toMatchObject({
    clients: expect.arrayContaining([expect.objectContaining({ name: "Anna's laptop" })]),
  });
});
