// Runs a TypeScript program of the checkout, or a tool of node_modules (`--run NAME`): installs the dependencies first when
// they are missing. `--web` then builds the web UI where it is missing. bin/launch.js does the rest.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { bundledNode, launch, runsHere } from '../bin/launch.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

await installWhatIsMissing();
if (process.argv[2] === '--web') {
  process.argv.splice(2, 1);
  buildWeb();
}
await launch(...target(process.argv.slice(2)));

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

function target([first, ...rest]) {
  if (first !== '--run') {
    return [first, rest];
  }
  const [tool, ...args] = rest;
  const manifest = path.join(root, 'node_modules', tool, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return [path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin[path.basename(tool)]), args];
}
