// Whether a container engine answers on this machine, and what is said where none does.
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { messageOf } from '../../src/kernel/errors.ts';

export interface Engine {
  /** As DOCKER_HOST names it. */
  host: string;
}

/** Why no engine was found, a place and a reason each. */
export interface NoEngine {
  tried: readonly string[];
}

const timeoutMs = 5000;

/** Asks DOCKER_HOST where it is set, and else the usual sockets of Docker and podman, in this order. */
export async function findEngine(env: NodeJS.ProcessEnv, root = '/'): Promise<Engine | NoEngine> {
  const runtime = env.XDG_RUNTIME_DIR;
  const sockets = ['var/run/docker.sock', 'run/podman/podman.sock'].map((name) => path.join(root, name));
  const usual = [...sockets, ...(runtime ? [`${runtime}/docker.sock`, `${runtime}/podman/podman.sock`] : [])];
  const hosts = env.DOCKER_HOST ? [env.DOCKER_HOST] : usual.map((socket) => `unix://${socket}`);
  const tried: string[] = [];
  for (const host of hosts) {
    const problem = await findProblem(host);
    if (problem === null) {
      return { host };
    }
    tried.push(`${host}: ${problem}`);
  }
  return { tried };
}

/** The sentence for a machine without an engine. */
export function skippedSentence({ tried }: NoEngine): string {
  return `skipped: no container engine was found (${tried.join('; ')}). Install Docker Engine with its compose plugin, or podman (systemctl enable --now podman.socket), or set DOCKER_HOST; REQUIRE_CONTAINERS=1 makes this a failure.`;
}

/** null: an engine answers there. */
async function findProblem(host: string): Promise<string | null> {
  const [, socketPath] = /^unix:\/\/(.+)$/.exec(host) ?? [];
  const isHttp = /^(?:tcp|https?):\/\//.test(host);
  if (socketPath === undefined && !isHttp) {
    return 'is neither unix:// nor tcp://';
  }
  if (socketPath !== undefined && !existsSync(socketPath)) {
    return 'is not there';
  }
  const { hostname, port } = new URL(isHttp ? host.replace(/^tcp:/, 'http:') : 'http://localhost');
  try {
    const status = await ping(
      socketPath === undefined ? { host: hostname, port: Number(port) || 2375 } : { socketPath },
    );
    return status === 200 ? null : `answers ${status}`;
  } catch (error) {
    return `does not answer (${messageOf(error)})`;
  }
}

function ping(place: { socketPath: string } | { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ ...place, path: '/_ping', agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once('timeout', () => asked.destroy(new Error(`no answer within ${timeoutMs / 1000} seconds`)));
    asked.once('error', reject).end();
  });
}
