// What the commands of the documents run on: the demo as a user starts it, and two routers as they come out of the box.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { childEnv } from '#kernel/process/env.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { type Program, root, startProgram } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Block, formatPlace } from './blocks.ts';

export interface DocumentStage extends AsyncDisposable {
  /** Where commands run. */
  readonly folder: string;
  readonly hub: URL;
  readonly adminToken: string;
  /** The data folder of the hub. */
  readonly dataDir: string;
  /** Of the demo: what follows a word at the start of a line that it prints. */
  printed(word: string): string;
  /** Routers that no hub knows; their own users are those of a person at the console. */
  readonly routers: Readonly<Record<'yamaha' | 'ios', RouterSimulator>>;
  /** The environment of the commands. */
  readonly env: Record<string, string>;
  /** A text of a document, with the addresses and secrets of the stage. */
  placed(text: string): string;
  /** The UPS of the demo, as a configuration file of upsget names it. */
  readonly upsFile: string;
  /** Starts a block that runs until it is ended. */
  start(text: string): Program;
  /** Runs blocks of one document as one script; resolves to what it prints, rejects with the block that failed. */
  shell(blocks: readonly Block[]): Promise<string>;
}

export async function startDocumentStage(): Promise<DocumentStage> {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(temporaryFolder());
  const [bin, home, temporary, work] = ['bin', 'home', 'tmp', 'work'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const made of [bin, home, temporary, work]) {
    mkdirSync(made);
  }
  for (const program of ['gatehouse', 'upsget']) {
    const text = `#!/bin/sh\nexec '${process.execPath}' '${root}/bin/${program}.js' "$@"\n`;
    writeFileSync(path.join(bin, program), text, { mode: 0o755 });
  }
  const demo = stack.use(startProgram(['scripts/demo.ts', '--free-ports'], { env: { TMPDIR: temporary } }));
  const yamaha = stack.use(await startRouter('vendor_a', { dialect: 'rtx1300-en', sessions: 20, seed: 5 }));
  const ios = stack.use(await startRouter('vendor_b', { sessions: 20, seed: 6, allowedSessions: 3 }));
  const [, origin = ''] = await demo.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m);
  const printed = (word: string) => new RegExp(`^${word} +(.*)$`, 'm').exec(demo.stdout())?.[1] ?? '';
  const hub = new URL(origin);
  const adminToken = printed('admin token');
  const dataDir = path.join(temporary, readdirSync(temporary).find((name) => name.startsWith('gatehouse-demo-')) ?? '');
  const env = childEnv({
    HOME: home,
    XDG_RUNTIME_DIR: temporary,
    PATH: `${bin}:${childEnv().PATH}`,
    HUB: hub.origin,
    TOKEN: adminToken,
    DATA: dataDir,
    FOLDER: folder,
  }) as Record<string, string>;
  const ai = /^(\S+) .*Anthropic (\S+), OpenAI (\S+)$/.exec(printed('AI')) ?? [];
  const [, upsHost = '', upsUser = '', upsPassword = ''] =
    /^https:\/\/(\S+) .*user (\S+), password (\S+)$/.exec(printed('UPS')) ?? [];
  /** What stands for something in the documents. The first that fits counts. */
  const places: readonly (readonly [text: string | RegExp, place: string])[] = [
    ['http://192.168.100.9:11434', ai[1] ?? ''],
    ['"KEY"', JSON.stringify(ai[2])],
    ['"ip":"192.168.100.1"', `"ip":"127.0.0.1","port":${yamaha.url.port}`],
    ['"ip":"192.168.100.2"', `"ip":"127.0.0.1","port":${ios.url.port}`],
    ['capture vendor_b 192.168.100.2', `capture vendor_b 127.0.0.1 --port ${ios.url.port}`],
    ["192.168.1.20 operator 'PASSWORD'", `${upsHost} ${upsUser} '${upsPassword}'`],
    ['/var/lib/gatehouse', dataDir],
    ['/path/to/gatehouse', root],
    ['http://127.0.0.1:3000', hub.origin],
    ['SHA ', `${'0123456789'.repeat(4)} `],
    ["the hub's admin token", adminToken],
  ];
  const placed = (text: string) => places.reduce((made, [from, to]) => made.replaceAll(from, to), text);
  const upsFile = path.join(folder, 'upsget.conf');
  const upsLines = ['[ups]', `ip = ${upsHost}`, `username = ${upsUser}`, `password = ${upsPassword}`];
  writeFileSync(upsFile, `${upsLines.join('\n')}\n`, { mode: 0o600 });
  copyFileSync(upsFile, path.join(home, '.upsget.conf'));
  const held = stack.move();
  return {
    folder,
    hub,
    adminToken,
    dataDir,
    printed,
    routers: { yamaha, ios },
    env,
    placed,
    upsFile,
    start: (text) => startProgram(['-c', `exec ${placed(text)}`], { command: 'bash', cwd: work, env }),
    async shell(blocks) {
      // Each block says where it is, so that a failure can.
      const script = blocks.map((block) => `at='${formatPlace(block)}'\n${placed(block.text)}`).join('\n');
      const trap =
        "trap 'echo \"$at: ended with $?: $BASH_COMMAND\" >&2' ERR; trap 'kill $(jobs -p) 2> /dev/null || true' EXIT";
      // What somebody types when `gatehouse capture` asks; a quick start before it may have set them.
      const { password, enable } = ios.credentials;
      const child = spawn('bash', ['-Eeuo', 'pipefail', '-c', `${trap}\n${script}`], {
        cwd: work,
        env: { ...env, CAPTURE_PASSWORD: password, CAPTURE_ENABLE_PASSWORD: enable ?? '' },
      });
      let [out, error] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        error += text;
      });
      const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
      if (code !== 0) {
        throw new Error(`${error}\n${out}`);
      }
      return out;
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
