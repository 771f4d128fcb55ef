// Runs a TypeScript program, or a tool of node_modules (`--run NAME`), on a Node that can: plain JavaScript, any Node.
// On an older Node it goes on with the Node 24 that `npm ci` brings; installs the dependencies first when they are missing,
// unless `--no-install` is the first word.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const needed = 24;
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const runsHere = Number(process.versions.node.split('.')[0]) >= needed;

if (process.argv[2] === '--no-install') {
  process.argv.splice(2, 1);
} else {
  installWhatIsMissing();
}
const [program, args] = target(process.argv.slice(2));
if (runsHere) {
  process.argv.splice(1, process.argv.length - 1, program, ...args);
  await import(pathToFileURL(program).href);
} else {
  goOnWith(bundledNode());
}

function installWhatIsMissing() {
  if (
    existsSync(path.join(root, 'node_modules', '.package-lock.json')) ||
    !existsSync(path.join(root, 'package-lock.json'))
  ) {
    return;
  }
  console.error('Installing the dependencies (npm ci), once …');
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const { status } = spawnSync(command, [...first, 'ci'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) {
    console.error(
      'The dependencies could not be installed: see the lines above, mend the cause and run the command again.',
    );
    process.exit(1);
  }
}

function target([first, ...rest]) {
  if (first !== '--run') {
    return [path.resolve(root, first), rest];
  }
  const [tool, ...args] = rest;
  const manifest = path.join(root, 'node_modules', tool, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return [path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin[tool]), args];
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
  const child = spawn(node, [program, ...args], { stdio: 'inherit', env });
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
