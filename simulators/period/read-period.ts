// Reads a period that somebody sent: nothing in it is believed, and the first mistake is named by line and column.
import path from 'node:path';
import type { z } from 'zod';
import {
  mostPeriod,
  type Period,
  type PeriodConnection,
  type PeriodHeader,
  type PeriodHost,
  periodConnection,
  periodEnd,
  periodHeader,
  periodHost,
  periodVersion,
} from '#capture/period.ts';
import { UsageError } from '#kernel/process/program.ts';
import { sha256 } from '#kernel/text/digest.ts';
import { findJsonMistake } from '#kernel/text/json.ts';
import { readInput } from '#kernel/text/problem.ts';
import { type Place, parseSource } from '#kernel/text/yaml.ts';
import { parseIsoTime } from '#kernel/time/clock.ts';
import { toMistake } from '../scenario/mistake.ts';
import { readBoundedFile } from '../support/bounded-file.ts';

/** One line of the file, with its number from 1 on. */
interface Line {
  file: string;
  number: number;
  text: string;
}

const advice = 'export the period again with gatehouse replay export';

/** Reads the file of `--period`. Throws a UsageError with one sentence that names line and column of the first mistake. */
export function readPeriod(file: string): Period {
  const text = readBoundedFile(file, (reason) => new UsageError(`--period: ${file} ${reason}`), mostPeriod.bytes);
  const name = `--period: ${path.basename(file)}`;
  const lines = text.split('\n').map((line, index): Line => ({ file: name, number: index + 1, text: line }));
  const [first, ...rest] = lines as [Line, ...Line[]];
  const header = readHeader(first);
  // The text behind the last line end is no line.
  if (rest.length === 0 || rest.pop()?.text !== '') {
    const end = lines.at(-1) ?? first;
    throw mistakeAtColumn(end, end.text.length + 1, `the file ends in the middle of a line: it was cut; ${advice}`);
  }
  const last = rest.pop();
  const hosts: PeriodHost[] = [];
  const connections: PeriodConnection[] = [];
  for (const line of rest) {
    const value = parseLine(line);
    if (isObject(value) && 'host' in value) {
      hosts.push(checkValue(line, periodHost, value, 'the host'));
    } else {
      const connection = checkValue(line, periodConnection, value, 'the connection');
      checkConnection(line, connection, header);
      connections.push(connection);
    }
  }
  checkEnd(last ?? first, text);
  checkSightings(last ?? first, connections);
  return { header, hosts, connections };
}

function readHeader(line: Line): PeriodHeader {
  const value = parseLine(line);
  if (isObject(value) && value.format === 'gatehouse-period' && value.version !== periodVersion) {
    const reason = `version is ${JSON.stringify(value.version)}, and this program reads ${periodVersion}: use the release that wrote it, or ${advice}`;
    throw mistakeAt(line, ['version'], reason);
  }
  const header = checkValue(line, periodHeader, value, 'the header');
  if (lengthOf(header) <= 0) {
    throw mistakeAt(line, ['to'], 'to must be later than from');
  }
  return header;
}

function lengthOf({ from, to }: PeriodHeader): number {
  return (parseIsoTime(to) ?? 0) - (parseIsoTime(from) ?? 0);
}

function checkConnection(line: Line, connection: PeriodConnection, header: PeriodHeader): void {
  const { observers } = header;
  const { src, dst, dport, proto, by, seen } = connection;
  const lengthMs = lengthOf(header);
  for (const [index, place] of by.entries()) {
    const observer = observers[place];
    if (observer === undefined) {
      throw mistakeAt(line, ['by', index], `by names observer ${place}, and the header has ${observers.length}`);
    }
    if (observer.kind === 'agent' ? dport === 0 || !/^(?:TCP|UDP)$/.test(proto) : `${src}${dst}`.includes(':')) {
      throw mistakeAt(line, ['by', index], `by names a ${observer.kind}, which cannot have seen such a connection`);
    }
  }
  let before = -1;
  for (const [index, [first, last]] of seen.entries()) {
    if (first <= before || last < first || last >= lengthMs) {
      throw mistakeAt(line, ['seen', index], 'seen must be in order and within the period');
    }
    before = last;
  }
}

/** Checks the digest after all lines, so that a mistake in a line is named first. */
function checkEnd(line: Line, text: string): void {
  const value = parseLine(line);
  if (isObject(value) && ('src' in value || 'host' in value || 'format' in value)) {
    throw mistakeAtColumn(line, 1, `the line with the digest is missing behind this one: the file was cut; ${advice}`);
  }
  const { lines, sha256: stated } = checkValue(line, periodEnd, value, 'the last line');
  const before = text.slice(0, text.length - line.text.length - 1);
  if (lines !== line.number - 1) {
    throw mistakeAt(
      line,
      ['lines'],
      `lines is ${lines}, and ${line.number - 1} are there: the file was cut; ${advice}`,
    );
  }
  if (sha256(before) !== stated) {
    throw mistakeAt(line, ['sha256'], `sha256 is not that of the lines before: the file was edited; ${advice}`);
  }
}

function checkSightings(line: Line, connections: readonly PeriodConnection[]): void {
  const sightings = connections.reduce((sum, { seen }) => seen.reduce((all, [, , count]) => all + count, sum), 0);
  if (sightings > mostPeriod.sightings) {
    throw mistakeAtColumn(
      line,
      1,
      `the file has ${sightings} sightings, more than ${mostPeriod.sightings}: export a shorter period`,
    );
  }
}

function parseLine(line: Line): unknown {
  try {
    return JSON.parse(line.text);
  } catch (error) {
    throw mistakeAtColumn(line, findJsonMistake(line.text, error).column, `this is not valid JSON; ${advice}`);
  }
}

function checkValue<T>(line: Line, schema: z.ZodType<T>, value: unknown, whole: string): T {
  const parsed = readInput(schema, value);
  if (!parsed.success) {
    throw toMistake(parseSource(line.file, line.text, { firstLine: line.number }), parsed.error.issues[0], whole);
  }
  return parsed.data;
}

function mistakeAt({ file, number, text }: Line, place: Place, reason: string): UsageError {
  return parseSource(file, text, { firstLine: number }).mistake(place, reason);
}

function mistakeAtColumn({ file, number }: Line, column: number, reason: string): UsageError {
  return new UsageError(`${file}, line ${number}, column ${column}: ${reason}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
