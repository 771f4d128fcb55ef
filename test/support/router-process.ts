// `gatehouse sim KIND` as a real process on free ports, and its control API.
import { request } from 'undici';
import { startProgram } from './program.ts';

export interface RouterProcessOptions {
  kind: 'vendor_a' | 'vendor_b';
  sessions?: number;
  seed?: number;
  /** What is changed of its state once it runs, such as `{ latency: 'none' }`. */
  state?: Record<string, unknown>;
}

export type RouterProcessRecord = Record<string, unknown> & {
  kind: RouterProcessOptions['kind'];
  ip: string;
  user: string;
  pass: string;
};

/** What a simulated router prints of itself once it listens. */
export interface RouterLine {
  url: string;
  user: string;
  password: string;
  enablePassword: string | null;
  natDescriptor: number;
}

export interface RouterProcess extends AsyncDisposable {
  /** The body that adds this router to a hub. */
  readonly record: RouterProcessRecord;
  /** A verb of the control API; resolves to its answer, rejects when it is refused. */
  control(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Record<string, unknown>>;
}

export async function startRouterProcess(options: RouterProcessOptions): Promise<RouterProcess> {
  const { kind, sessions = 0, seed = 1 } = options;
  const numbers = ['--port', '0', '--control-port', '0', '--sessions', String(sessions), '--seed', String(seed)];
  const program = startProgram(['src/main.ts', 'sim', kind, ...numbers]);
  try {
    const [text] = await program.printed(/^\{.*\}$/m);
    const line = JSON.parse(text) as Record<'url' | 'control' | 'user' | 'password' | 'enablePassword', string>;
    const control: RouterProcess['control'] = async (method, path, body) => {
      const answer = await request(new URL(path, line.control), {
        method,
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const value = (await answer.body.json()) as Record<string, unknown>;
      if (answer.statusCode >= 400) {
        throw new Error(`${method} ${path} of the simulator was refused: ${value.error}`);
      }
      return value;
    };
    const { settings } = (await control('PATCH', '/state', options.state ?? {})) as {
      settings: { natDescriptor: number };
    };
    return {
      record: recordOfLine(kind, { ...line, natDescriptor: settings.natDescriptor }),
      control,
      [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
    };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}

/** The body that adds the router of this line to a hub. */
export function recordOfLine(kind: RouterProcessOptions['kind'], line: RouterLine): RouterProcessRecord {
  const url = new URL(line.url);
  return {
    kind,
    displayName: kind,
    ip: url.hostname,
    port: Number(url.port),
    user: line.user,
    pass: line.password,
    ...(kind === 'vendor_a' ? { nat: String(line.natDescriptor) } : { enablePass: line.enablePassword }),
  };
}
