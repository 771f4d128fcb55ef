// The control surface of a simulator over HTTP, as an operator calls it.
import { type ControlServerOptions, startControlServer } from '#simulators/support/control-server.ts';
import { ManualClock } from './manual-clock.ts';

export interface ControlClient extends AsyncDisposable {
  /** Sends `body` as JSON, when there is one; the answer as it came, and parsed. */
  ask(method: string, path: string, body?: unknown): Promise<ControlAnswer>;
}

export interface ControlAnswer {
  status: number;
  text: string;
  body: Record<string, unknown>;
}

type Served<F extends string> = Pick<ControlServerOptions<F>, 'control' | 'extra'> & {
  clock: ControlServerOptions<F>['clock'] | ManualClock;
};

export async function serveControl<F extends string>({ clock, ...about }: Served<F>): Promise<ControlClient> {
  const moved =
    clock instanceof ManualClock ? { now: clock.now, advance: (ms: number) => clock.jump(clock.now() + ms) } : clock;
  const served = await startControlServer({ title: 'simulator', ...about, clock: moved });
  return {
    async ask(method, path, body) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await fetch(new URL(path, served.url), { method, headers, ...sent });
      const text = await response.text();
      return { status: response.status, text, body: JSON.parse(text) as Record<string, unknown> };
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}
