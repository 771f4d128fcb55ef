// `gatehouse gate run --format`: JUnit by a real parser of XML, and the files of a run as the program writes them.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatJunit } from '#gate/formats/junit.ts';
import { toPlainLine, toRows } from '#gate/formats/rows.ts';
import { hostileReport } from '../gate/hostile-report.ts';
import { openBrowser } from '../support/browser.ts';
import { openGateDesk } from '../support/gate-desk.ts';
import { withChromium } from '../support/web-lab.ts';

withChromium(() => {
  it('JUnit is well-formed XML whatever the report says, with one case for each check and its result', async () => {
    await using browser = await openBrowser({ origin: 'about:blank' });
    await fc.assert(
      fc.asyncProperty(hostileReport, async (report) => {
        const read = `(${readJunit})(${JSON.stringify(formatJunit(report))})`;
        const { fault, counts, cases } = await browser.page.evaluate<JunitRead>(read);
        expect(fault).toBe('');
        const rows = toRows(report);
        const count = (outcome: string) => String(rows.filter((row) => row.outcome === outcome).length);
        expect(counts).toEqual([String(rows.length), count('fail'), count('untestable'), count('not-required')]);
        expect(cases).toEqual(
          rows.map(({ id, asks, outcome, because, remedy }) => ({
            name: `${id}: ${asks}`,
            result: { pass: '', 'not-required': 'skipped', fail: 'failure', untestable: 'error' }[outcome],
            message: toPlainLine(because),
            text: ['fail', 'untestable'].includes(outcome) ? toPlainLine(`${because}. What to do: ${remedy}`) : '',
          })),
        );
      }),
      { numRuns: 60 },
    );
  });
});

interface JunitRead {
  fault: string;
  counts: string[];
  cases: { name: string; result: string; message: string; text: string }[];
}

/** Runs in the page. */
const readJunit = `(text) => {
  const document = new DOMParser().parseFromString(text, 'application/xml');
  return {
    fault: document.querySelector('parsererror')?.textContent ?? '',
    counts: ['tests', 'failures', 'errors', 'skipped'].map((name) => document.documentElement.getAttribute(name)),
    cases: [...document.querySelectorAll('testsuites > testsuite > testcase')].map((element) => ({
      name: element.getAttribute('name'),
      result: element.firstElementChild?.tagName ?? '',
      message: element.firstElementChild?.getAttribute('message') ?? '',
      text: element.firstElementChild?.textContent ?? '',
    })),
  };
}`;

it('writes several formats at once beside one on stdout, over what an earlier run wrote and over nothing else', async () => {
  await using desk = await openGateDesk();
  const file = (name: string) => path.join(desk.folder, name);
  const run = (...options: string[]) => desk.gate('run', '--env', desk.env, ...options);
  const junit = `junit=${file('gate.xml')}`;
  const both = await run('--format', junit, '--format', `markdown=${file('summary.md')}`);
  expect(both.code).toBe(1);
  expect(both.stdout).toContain('do not publish the name');
  expect(readFileSync(file('gate.xml'), 'utf8')).toContain('<failure ');
  expect(readFileSync(file('summary.md'), 'utf8')).toContain('❌ fails');
  expect(statSync(file('gate.xml')).mode & 0o777).toBe(0o600);
  expect(await run('--format', 'github', '--format', junit)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^::notice title=gatehouse gate::.*\n::error title=gate evidence\.directIngress::/),
  });
  expect(JSON.parse((await run('--json')).stdout)).toEqual(JSON.parse(readFileSync(file('report.json'), 'utf8')));

  writeFileSync(file('notes.txt'), 'mine');
  for (const [options, says] of [
    [
      ['--format', `junit=${file('notes.txt')}`],
      /notes\.txt is there and is no output of this gate.*name another file/,
    ],
    [['--format', `sarif=${desk.evidence}`], /no output of this gate/],
    [['--format', `junit=${file('nowhere/gate.xml')}`], /nowhere\/gate\.xml cannot be written.*does its folder exist/],
    [['--format', `junit=${file('report.json')}`], /a file of its own/],
    [['--format', `junit=${file('report.json.lock')}`], /a file of its own/],
    [['--format', `junit=${file('report.json.dsse.json')}`], /a file of its own/],
    [['--format', junit, '--format', `junit=${file('gate.xml')}`], /a file of its own/],
    [['--format', 'table=x'], /--format table goes to stdout only: leave out "=x"/],
    [['--format', 'xml'], /must be table, json, junit, sarif, github, markdown, not "xml" \(see --help\)/],
    [['--format', 'github', '--json'], /only one --format can go to stdout/],
    [['--format', 'json=x'], /goes to stdout only: .*--report names the file of the report/],
    [['--format', 'junit='], /lacks the name of a file/],
    [['--format', junit, '--profile', 'lax'], /--profile must be publication or resource-server, not "lax"/],
  ] satisfies [string[], RegExp][]) {
    expect(await run(...options)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
  }
  expect(readFileSync(file('notes.txt'), 'utf8')).toBe('mine');
  expect(readFileSync(file('gate.xml'), 'utf8')).toContain('<failure ');

  // The summary of a step is a file of the runner: it stays the same file, and text of another command is never lost.
  const summary = file('step-summary');
  const summarize = () => run('--format', `markdown=${summary}`);
  writeFileSync(summary, '');
  chmodSync(summary, 0o664);
  const { ino } = statSync(summary);
  for (const _run of ['first', 'again']) {
    expect((await summarize()).code).toBe(1);
    expect(readFileSync(summary, 'utf8').match(/^## gatehouse gate: /gm)).toHaveLength(1);
    const { mode, ino: kept } = statSync(summary);
    expect({ mode: mode & 0o777, ino: kept }).toEqual({ mode: 0o664, ino });
  }
  writeFileSync(summary, '# Tests\n');
  expect(await summarize()).toMatchObject({ code: 2, stderr: expect.stringMatching(/is no output of this gate/) });
  expect(readFileSync(summary, 'utf8')).toBe('# Tests\n');

  // A run that cannot start leaves no result of the run before.
  desk.settings.MCP_GATE_ISSUER = 'nowhere';
  desk.save();
  expect((await run('--format', junit)).code).toBe(2);
  expect(readFileSync(file('gate.xml'), 'utf8')).toBe('');
  expect(existsSync(file('report.json'))).toBe(false);
});
