// The direction of imports as a table, and a pure check of source texts against it. `npm run check` and the tests use it.

interface Area {
  /** Areas it may import, each spelled `#area/…`, and rooms of areas: `area/room`. */
  may: readonly string[];
  /** Only types may be imported from these. */
  typesOnly?: readonly string[];
}

/** Folder of every area: what a relative import must never leave. */
const folders: Record<string, string> = {
  kernel: 'src/kernel/',
  contract: 'src/contract/',
  capture: 'src/capture/',
  hub: 'src/hub/',
  mcp: 'src/mcp/',
  web: 'src/web/',
  agent: 'src/agent/',
  upsget: 'src/upsget/',
  simulators: 'simulators/',
  gate: 'gate/',
};

const areas: Record<string, Area> = {
  kernel: { may: [] },
  contract: { may: ['kernel'] },
  capture: { may: ['kernel'] },
  hub: { may: ['kernel', 'contract', 'capture'] },
  mcp: { may: ['kernel', 'contract'] },
  web: { may: [], typesOnly: ['contract', 'kernel'] },
  agent: { may: ['kernel', 'contract'] },
  upsget: { may: ['kernel/mqtt'] },
  simulators: { may: ['kernel', 'capture'] },
  gate: { may: ['kernel', 'contract'] },
};

/** The room of the kernel that is copied with upsget, which runs without packages and without the rest. */
const copiedRoom = 'src/kernel/mqtt/';

/** Folders of `src/hub`. A file may import from its own folder and from those after it in this list. */
const wings = ['start', 'analyse', 'collect', 'identify', 'record', 'notify', 'base'];

/** Exceptions: a folder that imports from one before it, and why. */
const mayLookUp: Record<string, string> = {
  'record → identify': 'what the log stores of an address is asked of those who know it, in the same transaction',
  'base → record': 'the states of coverage that every feature reports; the queries of the summary thread',
  'base → start': 'the table of all queries types the reader threads',
  'analyse → start': 'the table of all queries types the reader threads',
};

/** Packages that one file alone may import. */
const owners: Record<string, readonly string[]> = {
  'better-sqlite3': [
    'src/kernel/sqlite/sqlite.ts',
    'src/kernel/sqlite/checkpoint-connection.ts',
    'src/kernel/files/file-lock.ts',
    'src/kernel/sqlite/database-file.ts',
    'src/kernel/sqlite/database-copy.ts',
    'src/kernel/sqlite/salvage.ts',
  ],
  ssh2: ['src/hub/collect/routers/ssh.ts', 'simulators/router/ssh/server.ts'],
  fastify: ['src/kernel/http/', 'src/hub/base/auth/principal.ts', 'src/mcp/http/listener.ts'],
  pino: ['src/kernel/process/log.ts'],
};

/** A file is replaced in one way: whole, or not at all. Who else makes files, and why. */
const fileWriters: Record<string, string> = {
  'src/kernel/files/files.ts': 'is the one way',
  'src/kernel/files/large-files.ts': 'makes new files, and renames whole ones',
  'src/kernel/sqlite/database-copy.ts': 'makes an empty file with its mode; SQLite writes it',
  'src/upsget/files.ts': 'is the one way of a program that must not import the kernel',
  'src/kernel/sqlite/sqlite.ts': 'makes an empty database with its mode; SQLite writes it',
  'src/upsget/mqtt.ts': 'makes a new file in a new folder, for one run of another program',
  'src/kernel/process/watchdog-worker.ts': 'writes its last words to stderr, without streams',
  'src/agent/sources/trace-instance.ts': 'writes control files of the kernel, which are no files on a disk',
};

/** What changes a file in `node:fs` and `node:fs/promises`. */
const writing =
  /^(?:promises|rename|writeFile|appendFile|write|writev|copyFile|cp|link|symlink|truncate|ftruncate|createWriteStream)(?:Sync)?$/;
const writingFlags = /\bopen(?:Sync)?\([^;]*?,\s*['"](?:[aw]|r\+|rs\+)|\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b/;

export interface Import {
  specifier: string;
  typeOnly: boolean;
}

/** Every static and dynamic import, and re-export, of a TypeScript text. */
export function findImports(text: string): Import[] {
  const found: Import[] = [];
  for (const [, keyword = '', clause = '', specifier = ''] of text.matchAll(
    /^\s*(import|export)\s+((?:type\s+)?[^'"`;]*?from\s+)?['"]([^'"]+)['"]/gm,
  )) {
    if (keyword === 'import' || clause !== '') {
      found.push({ specifier, typeOnly: /^type\s/.test(clause) });
    }
  }
  for (const [, specifier = ''] of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) {
    found.push({ specifier, typeOnly: false });
  }
  return found;
}

/** What breaks the direction, one sentence each. `files` maps repository paths to source texts. */
export function architectureViolations(files: ReadonlyMap<string, string>): string[] {
  const each = [...files].flatMap(([file, text]) => {
    const area = areaOf(file);
    return findImports(text)
      .flatMap((one) => [
        ...(area ? crossings(file, area, one) : []),
        ...ownership(file, one),
        ...(area === 'hub' ? featureRing(file, one) : []),
        ...vendorToVendor(file, one),
      ])
      .concat(writers(file, text));
  });
  return [...each, ...circles(files)];
}

/** Files that import each other, in whatever number, are one: what they share belongs into another file. Types count. */
function circles(files: ReadonlyMap<string, string>): string[] {
  const targets = (file: string) =>
    findImports(files.get(file) ?? '')
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => resolve(file, specifier));
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, path: readonly string[]) => {
    const from = path.indexOf(file);
    if (from >= 0) {
      found.push(`${path.slice(from).join(' → ')} → ${file}: import each other`);
    } else if (!done.has(file)) {
      for (const target of targets(file)) {
        walk(target, [...path, file]);
      }
      done.add(file);
    }
  };
  for (const file of files.keys()) {
    walk(file, []);
  }
  return found;
}

function writers(file: string, text: string): string[] {
  if (!/^(?:src\/(?!web\/)|gate\/)/.test(file) || Object.hasOwn(fileWriters, file)) {
    return [];
  }
  const fromFs = findImports(text).filter(({ specifier }) => /^(?:node:)?fs(?:\/promises)?$/.test(specifier));
  const named = [...text.matchAll(/import\s+\{([^}]*)\}\s+from\s+['"](?:node:)?fs(?:\/promises)?['"]/g)];
  const names = named.flatMap(([, list = '']) => list.split(',').map((name) => name.trim().split(/\s/)[0] ?? ''));
  const found = names.filter((name) => writing.test(name));
  const way = file.startsWith('src/upsget/')
    ? 'replaceFile of src/upsget/files.ts'
    : 'writeText of src/kernel/files/files.ts';
  return [
    ...found.map((name) => `${file}: must not write files with ${name}; use ${way}`),
    ...(fromFs.length > named.length
      ? [`${file}: import functions of node:fs by name, so that they can be checked`]
      : []),
    ...(fromFs.length > 0 && writingFlags.test(text) ? [`${file}: must not open files for writing; use ${way}`] : []),
  ];
}

function areaOf(file: string): string | undefined {
  return Object.keys(folders).find((name) => file.startsWith(folders[name] ?? '?'));
}

function crossings(file: string, area: string, { specifier, typeOnly }: Import): string[] {
  if (specifier.startsWith('.')) {
    const target = resolve(file, specifier);
    return target.startsWith(file.startsWith(copiedRoom) ? copiedRoom : (folders[area] ?? '?'))
      ? []
      : [`${file}: the relative import ${specifier} leaves its area; spell it #area/…`];
  }
  if (!specifier.startsWith('#')) {
    return packageRules(file, area, specifier, typeOnly);
  }
  const target = specifier.slice(1, specifier.indexOf('/'));
  const rule = areas[area];
  if (rule?.may.some((room) => room.includes('/') && specifier.startsWith(`#${room}/`))) {
    return [];
  }
  if (target === area) {
    return [`${file}: ${specifier} is its own area; use a relative import`];
  }
  if (rule?.typesOnly?.includes(target)) {
    return typeOnly ? [] : [`${file}: ${area} may import only types of ${target}`];
  }
  return rule?.may.includes(target) ? [] : [`${file}: ${area} must not import ${target}`];
}

function packageRules(file: string, area: string, specifier: string, typeOnly: boolean): string[] {
  if (area === 'web' && specifier.startsWith('node:')) {
    return [`${file}: the web UI must not import ${specifier}`];
  }
  const isCopied = area === 'upsget' || file.startsWith(copiedRoom);
  if (isCopied && !typeOnly && !specifier.startsWith('node:')) {
    return [`${file}: upsget must print a value without node_modules; ${specifier} is a package`];
  }
  return [];
}

function ownership(file: string, { specifier, typeOnly }: Import): string[] {
  const owned = owners[specifier];
  if (!owned || typeOnly || !areaOf(file) || owned.some((owner) => file.startsWith(owner))) {
    return [];
  }
  return [`${file}: only ${owned.join(' and ')} may import ${specifier}`];
}

/** A feature may import types of others, but values only of `base`: `start/features.ts` hands values over. */
function featureRing(file: string, { specifier, typeOnly }: Import): string[] {
  const target = specifier.startsWith('.') ? resolve(file, specifier) : '';
  const from = featureOf(file);
  const to = featureOf(target);
  const isForeign = from !== undefined && to !== undefined && from !== to;
  return [
    ...(isForeign && !typeOnly && (wingOf(target) !== 'base' || wingOf(file) === 'base')
      ? [`${file}: feature ${from} may import only types of feature ${to}; start/features.ts hands values over`]
      : []),
    ...upward(file, target, typeOnly),
  ];
}

/** Imports of types count too, so that a folder can be read without those before it in `wings`. `mayLookUp` allows types alone. */
function upward(file: string, target: string, typeOnly: boolean): string[] {
  const [from, to] = [wingOf(file), wingOf(target)];
  const isUp = wings.includes(to) && wings.indexOf(from) > wings.indexOf(to);
  const isAllowed = typeOnly && Object.hasOwn(mayLookUp, `${from} → ${to}`);
  return isUp && !isAllowed ? [`${file}: ${from} must not import ${to}; move what both need into the lower wing`] : [];
}

/** Vendors do not know each other: what two of them need is in the folder above. */
function vendorToVendor(file: string, { specifier }: Import): string[] {
  const vendorOf = (path: string) => /\/vendor-([a-z])(?:\/|\.ts$)/.exec(path)?.[1];
  const from = vendorOf(file);
  const to = vendorOf(specifier.startsWith('.') ? resolve(file, specifier) : specifier);
  return from && to && from !== to ? [`${file}: vendor-${from} must not import vendor-${to}`] : [];
}

/** The feature of a file, such as `collect/routers`; a file directly in a wing has none. */
function featureOf(file: string): string | undefined {
  return /^src\/hub\/([^/]+\/[^/]+)\//.exec(file)?.[1];
}

function wingOf(file: string): string {
  return /^src\/hub\/([^/]+)\//.exec(file)?.[1] ?? '';
}

function resolve(file: string, specifier: string): string {
  return new URL(specifier, `file:///${file}`).pathname.slice(1);
}
