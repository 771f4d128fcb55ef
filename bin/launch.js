// Runs a program of this folder on a Node that can: plain JavaScript, any Node. On an older Node it goes on with the
// Node 24 that is installed as a dependency. What Node compiles is kept for the next start. Installs nothing.
import { spawn } from 'node:child_process';
import module, { createRequire } from 'node:module';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiledFolder } from './compiled.js';

const needed = 24;
const self = fileURLToPath(import.meta.url);
const root = path.dirname(path.dirname(self));
const require = createRequire(self);

/** Whether this Node is one that runs the programs. */
export const runsHere = Number(process.versions.node.split('.')[0]) >= needed;

/** Goes on as `program`, a path below the folder of the package or an absolute one, with its words. */
export async function launch(relative, args) {
  const program = path.resolve(root, relative);
  keepCompiled();
  const flags = hubFlags(program, args);
  if (runsHere && flags.length > 0 && process.execve) {
    const words = process.env.npm_lifecycle_event === undefined ? [program, ...args] : [self, program, ...args];
    process.execve(process.execPath, [process.execPath, ...flags, ...process.execArgv, ...words], process.env);
  }
  endWithNpm();
  if (runsHere) {
    process.argv.splice(1, process.argv.length - 1, program, ...args);
    await import(pathToFileURL(program).href);
  } else {
    goOnWith(bundledNode(), [...flags, program, ...args]);
  }
}

/** Its path; ends the process with a sentence where it is not installed. */
export function bundledNode() {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return endWithoutNode();
  }
}

function endWithoutNode() {
  console.error(
    `Gatehouse needs Node.js ${needed} or newer; this is ${process.version}. On Linux x64 and arm64 with glibc npm installs it as an optional dependency; elsewhere, Alpine too, install Node.js ${needed} and run this again.`,
  );
  process.exit(78);
}

/**
 * What keeps the memory of the hub small, and V8 whole, has to be said when a process begins: it begins anew under its own id, unless
 * it was told. The C library keeps memory apart for each thread, of which the hub has a dozen: two such arenas are enough;
 * pieces of 256 kB and more are given back when they are free. The flags for Node bound its nursery, which would grow to
 * several times that, as those of the threads are bounded (src/hub/base/readers/thread.ts). V8 keeps the code
 * of WebAssembly: threads that free it race for a table of pages and end the process (https://github.com/nodejs/node/issues/64500).
 */
function hubFlags(program, args) {
  const { dir, name } = path.parse(program);
  const isHub = path.join(dir, name) === path.join(root, 'src/main') && args[0] === 'hub';
  if (!isHub || process.platform !== 'linux' || process.env.MALLOC_ARENA_MAX !== undefined) {
    return [];
  }
  process.env.MALLOC_ARENA_MAX = '2';
  process.env.MALLOC_MMAP_THRESHOLD_ ??= '262144';
  return ['--max-semi-space-size=4', '--no-wasm-code-gc'];
}

/**
 * npm runs a script in a shell and passes signals on to that alone: the scripts of package.json replace it (exec). Where a
 * shell stays (npx), or npm is killed, what npm started ends when the process in front of it has ended.
 */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) {
    return;
  }
  const { ppid } = process;
  const watch = setInterval(() => {
    if (process.ppid !== ppid) {
      clearInterval(watch);
      process.kill(process.pid, 'SIGTERM');
    }
  }, 250);
  watch.unref();
}

/**
 * To read and compile the program anew takes longer than all else that a start does. The folder is named in the
 * environment, as threads and the newer Node find it there. NODE_DISABLE_COMPILE_CACHE=1 is obeyed by Node itself.
 */
function keepCompiled() {
  const folder = compiledFolder('gatehouse');
  if (folder !== null) {
    process.env.NODE_COMPILE_CACHE = folder;
    module.enableCompileCache?.(folder);
  }
}

function goOnWith(node, words) {
  const env = { ...process.env, PATH: path.dirname(node) + path.delimiter + process.env.PATH };
  const child = spawn(node, words, { stdio: 'inherit', env });
  // Installed, but not for this system: the loader that it names is missing where the C library is musl.
  child.on('error', endWithoutNode);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('exit', (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else {
      process.exit(code ?? 1);
    }
  });
}

// The process that began anew under npm.
if (process.argv[1] === self) {
  await launch(process.argv[2], process.argv.slice(3));
}
