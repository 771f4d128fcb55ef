// Everything outside of the hub, in one process of `gatehouse sim all`, and the control surface of each simulator.
import { request } from 'undici';
import { type Program, startProgram } from '../../support/program.ts';
import { createLineReader } from './lines.ts';

export type SimKind = 'vendor_a' | 'vendor_b' | 'oidc' | 'feeds' | 'chat' | 'ai' | 'mesh';
const kinds: readonly SimKind[] = ['vendor_a', 'vendor_b', 'oidc', 'feeds', 'chat', 'ai', 'mesh'];

export type StartLine = Readonly<Record<string, unknown>> & { url: string; control: string };

export interface Sims extends AsyncDisposable {
  /** What each said when it started: address, control address, credentials. */
  readonly lines: Readonly<Record<SimKind, StartLine>>;
  readonly program: Program;
  /** Of one control surface; rejects when it is refused. */
  control(kind: SimKind, method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Entries of the journals since the last call, one line each, as `chat message …`. */
  journal(): string[];
}

export async function startSims(seed: number, sessions: number): Promise<Sims> {
  const words = ['--port', '0', '--seed', String(seed), '--sessions', String(sessions)];
  const program = startProgram(['src/main.ts', 'sim', 'all', ...words]);
  try {
    const lines = {} as Record<SimKind, StartLine>;
    for (const kind of kinds) {
      const [text] = await program.printed(new RegExp(`^\\{"simulator":"${kind}".*\\}$`, 'm'));
      lines[kind] = JSON.parse(text) as StartLine;
    }
    const reader = createLineReader(program.stderr);
    return {
      lines,
      program,
      control: (kind, method, path, body) => askControl(new URL(path, lines[kind].control), method, body),
      journal: reader.take,
      [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
    };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}

/** One call of a control surface. */
export async function askControl(url: URL, method: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await request(url, {
    method: method as 'GET',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const value = (await answer.body.json()) as Record<string, unknown>;
  if (answer.statusCode >= 400) {
    throw new Error(`${method} ${url.pathname} of a simulator was refused: ${value.error}`);
  }
  return value;
}
