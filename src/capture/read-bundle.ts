// Reads a capture that somebody sent. Everything in it is checked; the first mistake is named with its place.
import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isSystemError } from '#kernel/files/files.ts';
import { findJsonMistake } from '#kernel/text/json.ts';
import { firstProblem, readInput } from '#kernel/text/problem.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import {
  type Bundle,
  type BundleIndex,
  bundleSchema,
  bundleVersion,
  countBytes,
  type Exchange,
  type Greeting,
  indexName,
  longestAnswer,
  longestIndex,
} from './bundle.ts';

/** Reads the bundle in `folder`. Throws an Error with one sentence that names the file and the place in it. */
export function readBundle(folder: string): Bundle {
  const place = path.join(folder, indexName);
  const text = readFile(place, longestIndex).toString('utf8');
  const index = readIndex(place, text);
  const parts: readonly (Greeting | Exchange)[] = [index.greeting, ...index.exchanges];
  const files = new Map(
    parts.map((part) => {
      const file = path.join(folder, part.file);
      const bytes = readFile(file, longestAnswer);
      if (bytes.length !== part.bytes || countBytes(part.steps) !== part.bytes) {
        throw new Error(
          `${file} has ${bytes.length} bytes, and ${indexName} says ${countBytes(part.steps)}: it was cut or edited; take the capture again, or change characters without adding or removing any`,
        );
      }
      return [part.file, bytes] as const;
    }),
  );
  if (files.size < parts.length) {
    throw new Error(`${place} names one file for two answers: take the capture again`);
  }
  return { index, files };
}

function readIndex(place: string, text: string): BundleIndex {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const { line, column } = findJsonMistake(text, error);
    const where = `line ${line}, column ${column}`;
    throw new Error(`${place} is not valid JSON at ${where}: take the capture again`, { cause: error });
  }
  const { format, version } = { ...(value as { format?: unknown; version?: unknown } | null) };
  if (format === 'gatehouse-capture' && typeof version === 'number' && version !== bundleVersion) {
    throw new Error(
      `${place} is of version ${version}, and this program reads version ${bundleVersion}: use the release that wrote it, or take the capture again`,
    );
  }
  const result = readInput(bundleSchema, value);
  if (!result.success) {
    throw new Error(`${place}: ${visibleText(firstProblem(result.error, 'it'), 300, '.')}`);
  }
  return result.data;
}

/** Refuses all but plain files: a link could lead out of the folder, and a device would never end. */
function readFile(file: string, most: number): Buffer {
  try {
    const found = lstatSync(file);
    if (!found.isFile()) {
      throw new Error(`${file} is no file of its own: a capture holds no links and folders`);
    }
    if (found.size > most) {
      throw new Error(`${file} has ${found.size} bytes, and a capture has at most ${most} there: it is no capture`);
    }
    return readFileSync(file);
  } catch (error) {
    if (!isSystemError(error)) {
      throw error;
    }
    throw new Error(`${file} cannot be read (${error.code}): name the folder of a whole capture`, { cause: error });
  }
}
