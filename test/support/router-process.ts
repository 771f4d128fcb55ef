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

export interface RouterProcess extends AsyncDisposable {
  /** The body that adds this router to a hub. */
  readonly record: Record<string, unknown> & { kind: 'vendor_a' | 'vendor_b'; ip: string; user: string; pass: string };
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
    const url = new URL(line.url);
    return {
      record: {
        kind,
        displayName: kind,
        ip: url.hostname,
        port: Number(url.port),
        user: line.user,
        pass: line.password,
        ...(kind === 'vendor_a' ? { nat: String(settings.natDescriptor) } : { enablePass: line.enablePassword }),
      },
      control,
      [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
    };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}
