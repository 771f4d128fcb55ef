// The real nginx of the system with the configuration that is in the documentation, on a free port of loopback.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import path from 'node:path';
import { Agent } from 'undici';
import type { Certificate } from '#simulators/support/certificates.ts';
import { untilOpen } from './open-port.ts';
import { root, startProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The name that docs/nginx.conf serves. */
export const proxiedName = 'gatehouse.example.net';

export interface NginxOptions {
  port: number;
  certificate: Certificate;
  mcp: URL;
  hub: URL;
  /** More replacements in the configuration: text → text. Each must be found. */
  change?: Readonly<Record<string, string>>;
}

/** Connections that trust `ca` and for which every name is this machine, from an address of loopback as another machine would. */
export function agentToLoopback(ca: string, localAddress = '127.0.0.1'): Agent {
  return new Agent({ connect: { ca, lookup: toLoopback }, localAddress });
}

const toLoopback: LookupFunction = (_name, { all }, found) => {
  if (all) {
    found(null, [{ address: '127.0.0.1', family: 4 }]);
  } else {
    found(null, '127.0.0.1', 4);
  }
};

/** The configuration that operators copy. */
export function nginxConfig(): string {
  return readFileSync(path.join(root, 'docs/nginx.conf'), 'utf8');
}

/** Changes in docs/nginx.conf what its first lines say an operator changes, and runs it. */
export async function startNginx({ port, certificate, mcp, hub, change = {} }: NginxOptions): Promise<AsyncDisposable> {
  using folder = new DisposableStack();
  const files = folder.use(temporaryFolder());
  const file = (name: string, text: string) => {
    const where = path.join(files.path, name);
    writeFileSync(where, text, { mode: 0o600 });
    return where;
  };
  const running = await startNginxWith(port, nginxConfig(), {
    'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
    'server 127.0.0.1:3001': `server ${mcp.host}`,
    'server 127.0.0.1:3000': `server ${hub.host}`,
    '/etc/nginx/tls/gatehouse.crt': file('tls.crt', certificate.cert),
    '/etc/nginx/tls/gatehouse.key': file('tls.key', certificate.key),
    ...change,
  });
  const kept = folder.move();
  return {
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      kept.dispose();
    },
  };
}

/**
 * Runs one process with the configuration `text` of documentation, after these changes of it: text → text. The folders of its
 * temporary files are gone, so that a request which needs one fails, as on the 64 MB of the edge in compose.yaml.
 */
export async function startNginxWith(
  port: number,
  text: string,
  changes: Readonly<Record<string, string>>,
): Promise<AsyncDisposable> {
  const folder = temporaryFolder();
  const file = (name: string) => path.join(folder.path, name);
  writeFileSync(file('gatehouse.conf'), replaced(text, changes), { mode: 0o600 });
  writeFileSync(file('nginx.conf'), mainConfig, { mode: 0o600 });
  const program = startProgram(['-p', folder.path, '-c', file('nginx.conf'), '-e', 'stderr'], { command: 'nginx' });
  const close = async () => {
    await program[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  };
  const died = program.ended.then(() => Promise.reject(new Error(`nginx ended: ${program.stderr()}`)));
  try {
    await Promise.race([untilOpen(port), died]);
    for (const name of temporaryFolders) {
      rmSync(file(name), { recursive: true });
    }
  } catch (error) {
    await close();
    throw error;
  }
  died.catch(() => undefined);
  return { [Symbol.asyncDispose]: close };
}

const temporaryFolders = ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** What a distribution's nginx.conf has around conf.d. One process: whoever ends it ends all of it. */
const mainConfig = `daemon off;
master_process off;
pid nginx.pid;
events {}
http {
    access_log off;
${temporaryFolders.map((name) => `    ${name === 'body' ? 'client_body' : name}_temp_path ${name};`).join('\n')}
    include gatehouse.conf;
}
`;

function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((before, [from, to]) => {
    if (!before.includes(from)) {
      throw new Error(`the configuration does not say "${from}" any more`);
    }
    return before.replaceAll(from, to);
  }, text);
}
