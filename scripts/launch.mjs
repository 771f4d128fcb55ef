// Runs a TypeScript program, or a tool of node_modules (`--run NAME`), on a Node that can: plain JavaScript, any Node.
// On an older Node it goes on with the Node 24 that `npm ci` brings; installs the dependencies first when they are missing,
// unless `--no-install` is the first word. `--web` then builds the web UI where it is missing. What Node compiles is kept for the next start.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath, pathToFileURL } from 'node:url';

const needed = 24;
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const runsHere = Number(process.versions.node.split('.')[0]) >= needed;

if (process.argv[2] === '--no-install') {
  process.argv.splice(2, 1);
} else {
  await installWhatIsMissing();
}
if (process.argv[2] === '--web') {
  process.argv.splice(2, 1);
  buildWeb();
}
const [program, args] = target(process.argv.slice(2));
keepCompiled();
const flags = memoryFlags();
if (runsHere && flags.length > 0 && process.execve) {
  const again = [fileURLToPath(import.meta.url), '--no-install', program, ...args];
  const words = process.env.npm_lifecycle_event === undefined ? [program, ...args] : again;
  process.execve(process.execPath, [process.execPath, ...flags, ...process.execArgv, ...words], process.env);
}
endWithNpm();
if (runsHere) {
  process.argv.splice(1, process.argv.length - 1, program, ...args);
  await import(pathToFileURL(program).href);
} else {
  goOnWith(bundledNode());
}

/**
 * What keeps the memory of the hub small has to be said when a process begins: it begins anew under its own id, unless
 * it was told. The C library keeps memory apart for each thread, of which the hub has a dozen: two such arenas are enough;
 * pieces of 256 kB and more are given back when they are free. The flags for Node bound its nursery, which would grow to
 * several times that, as those of the threads are bounded (src/hub/readers/thread.ts). None: nothing is to be said.
 */
function memoryFlags() {
  const isHub = program === path.join(root, 'src/main.ts') && args[0] === 'hub';
  if (!isHub || process.platform !== 'linux' || process.env.MALLOC_ARENA_MAX !== undefined) {
    return [];
  }
  process.env.MALLOC_ARENA_MAX = '2';
  process.env.MALLOC_MMAP_THRESHOLD_ ??= '262144';
  return ['--max-semi-space-size=4'];
}

/**
 * npm runs a script in a shell and passes signals on to that alone: the scripts of package.json replace it (exec). Where a
 * shell stays, or npm is killed, what npm started ends when the process in front of it has ended.
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

/** Another process: what builds is loaded into memory and never given back. */
function buildWeb() {
  const node = runsHere ? process.execPath : bundledNode();
  const words = [path.join(root, 'scripts/build-web.ts'), '--if-missing'];
  const { status } = spawnSync(node, words, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error('The web UI could not be built: the hub starts without it. "npm run build:web" says why.');
  }
}

/** stdout belongs to the program: MCP clients and readers of simulators' lines begin to read there at once. */
async function installWhatIsMissing() {
  if (
    existsSync(path.join(root, 'node_modules', '.package-lock.json')) ||
    !existsSync(path.join(root, 'package-lock.json'))
  ) {
    return;
  }
  console.error('Installing the dependencies (npm ci), once …');
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const child = spawn(command, [...first, 'ci'], { cwd: root, stdio: ['ignore', 2, 2] });
  let waitedS = 0;
  const life = setInterval(() => {
    waitedS += 5;
    console.error(`… still installing (${waitedS} s)`);
  }, 5000);
  const stop = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) {
    process.on(signal, stop);
  }
  const fault = await new Promise((resolve) => {
    child.on('error', ({ code }) => resolve(`npm cannot be started (${code})`));
    child.on('exit', (code, signal) => resolve(code === 0 ? null : `npm ended with ${signal ?? code}`));
  });
  clearInterval(life);
  for (const signal of signals) {
    process.off(signal, stop);
  }
  if (fault !== null) {
    console.error(`The dependencies could not be installed: ${fault}. Mend the cause, then run "npm ci" in ${root}.`);
    process.exit(1);
  }
}

/**
 * To read and compile the TypeScript anew takes longer than all else that a start does. The folder is named in the
 * environment, as threads and the newer Node find it there. NODE_DISABLE_COMPILE_CACHE=1 is obeyed by Node itself.
 */
function keepCompiled() {
  const { HOME, XDG_CACHE_HOME, CACHE_DIRECTORY, NODE_COMPILE_CACHE } = process.env;
  // A service has a folder from systemd (`CacheDirectory=`) and often no home.
  const given = CACHE_DIRECTORY?.split(':')[0] || XDG_CACHE_HOME;
  const base = given || (HOME && existsSync(HOME) ? path.join(HOME, '.cache') : '');
  if (NODE_COMPILE_CACHE || !path.isAbsolute(base)) {
    return;
  }
  const folder = path.join(base, 'gatehouse');
  if (isOurs(folder)) {
    process.env.NODE_COMPILE_CACHE = folder;
    module.enableCompileCache?.(folder);
  }
}

/** What lies in the folder is run: nobody else may be able to write there. Without such a folder a start is only slower. */
function isOurs(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    return false;
  }
  const found = lstatSync(folder);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

function target([first, ...rest]) {
  if (first !== '--run') {
    return [path.resolve(root, first), rest];
  }
  const [tool, ...args] = rest;
  const manifest = path.join(root, 'node_modules', tool, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return [path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin[path.basename(tool)]), args];
}

function bundledNode() {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    console.error(
      `Gatehouse needs Node.js ${needed} or newer; this is ${process.version}. On Linux x64 and arm64 "npm ci" brings it along; elsewhere install Node.js ${needed} and run this again.`,
    );
    process.exit(78);
  }
}

function goOnWith(node) {
  const env = { ...process.env, PATH: path.dirname(node) + path.delimiter + process.env.PATH };
  const child = spawn(node, [...flags, program, ...args], { stdio: 'inherit', env });
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
