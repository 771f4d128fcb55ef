// Captured output of the sources of the Agent, and what a test damages of it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/sources.ts';

export function capture(name: string): Buffer {
  return readFileSync(path.join(root, 'fixtures/agent', name));
}

export function captureLines(name: string): string[] {
  return capture(name).toString('utf8').split('\n').filter(Boolean);
}

/** Every line cut at every place, with a byte turned, and joined with the next one: what a reader must survive. */
export function* damaged(lines: readonly string[]): Generator<string> {
  for (const [index, line] of lines.entries()) {
    for (let at = 0; at < line.length; at += 1) {
      yield line.slice(0, at);
      yield line.slice(at);
      yield `${line.slice(0, at)}\u0000${line.slice(at + 1)}`;
    }
    yield line + (lines[index + 1] ?? '');
  }
}
