// The formats of `gate run`: whatever a report says, each stays in its form and says it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, addFormats } from '@modelcontextprotocol/client/validators/ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '#gate/check.ts';
import { formats } from '#gate/formats/formats.ts';
import { formatGithub } from '#gate/formats/github.ts';
import { formatJunit } from '#gate/formats/junit.ts';
import { formatMarkdown } from '#gate/formats/markdown.ts';
import { toPlainLine, toRows } from '#gate/formats/rows.ts';
import { formatSarif } from '#gate/formats/sarif.ts';
import type { Report } from '#gate/report.ts';
import { root } from '../support/program.ts';
import { hostileReport } from './hostile-report.ts';
import { passingReport } from './passing-report.ts';

const passing = JSON.parse(passingReport()) as Report;
const failing = (report: Report) => toRows(report).filter((row) => !holds(row));

describe('SARIF', () => {
  const file = path.join(root, 'fixtures/sarif/sarif-2.1.0.schema.json');
  // Its dialect is draft 4: the validator knows these two names under others, and reads patterns as Unicode otherwise.
  const {
    $schema: _dialect,
    id: _address,
    ...schema
  } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, unicodeRegExp: false });
  addFormats(ajv);
  const validate = ajv.compile(schema);

  it('is valid by the schema of the standard, with a rule for each check and a result for each that does not hold', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        const log = JSON.parse(formatSarif(report, path.resolve('reports/gate report.json'))) as SarifLog;
        expect(validate(log) ? [] : validate.errors).toEqual([]);
        const [run] = log.runs;
        expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(report.findings.map(({ id }) => id));
        expect(run?.results.map(({ ruleId }) => ruleId)).toEqual(report.failedChecks);
        for (const { ruleId, ruleIndex, message, locations } of run?.results ?? []) {
          expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
          const because = report.findings.find(({ id }) => id === ruleId)?.because ?? null;
          expect(message.text.startsWith(toPlainLine(because))).toBe(true);
          expect(locations[0]?.physicalLocation.artifactLocation.uri).toBe('reports/gate%20report.json');
        }
      }),
    );
  });

  it('the validator refuses what is no SARIF', () => {
    expect(validate({ version: '2.1.0', runs: [{ results: [] }] })).toBe(false);
    expect(validate({ version: '2.0.0', runs: [] })).toBe(false);
  });
});

interface SarifLog {
  runs: {
    tool: { driver: { rules: { id: string }[] } };
    results: {
      ruleId: string;
      ruleIndex: number;
      message: { text: string };
      locations: { physicalLocation: { artifactLocation: { uri: string } } }[];
    }[];
  }[];
}

describe('workflow commands', () => {
  it('are one for each check that does not hold, and no text of the report makes another', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        const commands = parseCommands(formatGithub(report));
        expect(commands[0]).toMatchObject({ command: 'notice', title: 'gatehouse gate' });
        const rows = failing(report).sort((a, b) => a.outcome.localeCompare(b.outcome));
        expect(commands.slice(1)).toEqual(
          rows.map(({ id, outcome, because, remedy }) => ({
            command: outcome === 'fail' ? 'error' : 'warning',
            title: `gate ${id}`,
            message: toPlainLine(`${because}. What to do: ${remedy}`),
          })),
        );
      }),
    );
  });
});

/** As the runner of GitHub reads its input: line by line, `::COMMAND NAME=VALUE,…::MESSAGE`, then the escapes. */
function parseCommands(text: string): { command: string; title: string; message: string }[] {
  const lines = text.split(/\r\n|[\r\n]/);
  expect(lines.pop()).toBe('');
  return lines.map((line) => {
    const [, command = '', properties = '', message = ''] = /^::(\w+) ([^:]*)::(.*)$/su.exec(line) ?? [];
    const [[name, title = ''] = [], ...more] = properties.split(',').map((one) => one.split('='));
    expect({ name, more }).toEqual({ name: 'title', more: [] });
    return { command, title: unescapeCommand(title), message: unescapeCommand(message) };
  });
}

function unescapeCommand(text: string): string {
  return text.replace(/%(0D|0A|3A|2C|25)/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

describe('Markdown', () => {
  it('is a heading, tables with four cells a line, and a list; every cell holds its text and no markup', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        const lines = formatMarkdown(report).split('\n');
        for (const line of lines) {
          expect(line).not.toMatch(/(?<!\\)(?:\\\\)*[<`[\]!~$@]|[\p{Cc}\u2028]/u);
          expect(line).toMatch(/^(?:$|\||- |## |\d|All )/);
        }
        const cells = lines.flatMap((line) => (line.startsWith('|') ? [splitCells(line)] : []));
        expect(cells.filter((line) => ![4, 5].includes(line.length))).toEqual([]);
        const shown = new Map(cells.map(([check = '', , because]) => [check.split(':')[0], because]));
        for (const { id, because } of report.findings.filter(({ outcome }) => outcome !== 'pass')) {
          expect(shown.get(id)).toBe(toPlainLine(because).trim());
        }
        expect(cells[2]?.[0]).toBe(toPlainLine(report.endpoint).trim());
      }),
    );
  });
});

/** As GitHub reads a line of a table: a bar ends a cell unless a backslash is before it. */
function splitCells(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) => cell.trim().replace(/\\([!-/:-@[-`{-~])/g, '$1'));
}

it('begins every file of a format as its earlier outputs are known by, and says that all checks hold', () => {
  for (const { head, format } of Object.values(formats)) {
    const text = format(passing, 'report.json');
    expect(text.startsWith(head ?? '')).toBe(true);
    expect(text).toMatch(/ready\\?_for/);
  }
});

it('JUnit and SARIF say of which profile the report is', () => {
  const profile = 'resource-server';
  expect(formatJunit({ ...passing, profile })).toContain('<property name="profile" value="resource-server"/>');
  expect(formatJunit(passing)).toContain('<property name="profile" value="publication"/>');
  expect(formatSarif({ ...passing, profile }, 'report.json')).toContain('"profile": "resource-server"');
});
