// A whole hub with everything that a destination could get into, and a scan of all of it.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { api } from '#contract/index.ts';
import { startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { agentClient, batchOf, enrolAgent, observation } from './agents.ts';
import { startAiLab } from './ai-lab.ts';
import { watchLeaks } from './leak-guard.ts';
import { collectLog } from './log-lines.ts';
import { rowsOfServer, sinkSettingsFor } from './sink-lab.ts';
import { temporaryFolder } from './temporary-folder.ts';

const minute = 60_000;

/** The device that is marked in some tests, and one beside it that never is. */
export const [device, other] = ['192.168.100.23', '192.168.100.24'];
export const secrets = {
  texts: ['198.51.100.77', '198.51.100.78', 'secret-clinic', '31613', '31614', 'tellingd'],
  ports: [31_613, 31_614],
};
export const openDestination = '203.0.113.10';

export type PrivacyLab = Awaited<ReturnType<typeof startPrivacyLab>>;

export async function startPrivacyLab() {
  await using opened = new AsyncDisposableStack();
  opened.use(watchLeaks());
  const folder = opened.use(temporaryFolder());
  const dnsLog = path.join(folder.path, 'dns.log');
  writeFileSync(dnsLog, '');
  const { log, lines } = collectLog('debug');
  const server = opened.use(await startClickHouse());
  const lab = opened.use(
    await startAiLab({
      routers: { home: 'vendor_a' },
      provider: 'local',
      hub: { log, sink: sinkSettingsFor(server), logPathPrefixes: [folder.path] },
    }),
  );
  const { agentId, token } = await enrolAgent(lab);
  await lab.as.admin.config.saveDataSources({ body: { dns: { enabled: true, logFile: dnsLog } } });
  const home = lab.routers.home;
  // Both hosts have had traffic, and the neighbour table was read after it.
  for (const src of [device, other]) {
    home.flow({ src, dst: openDestination, dport: 443, lastsMs: minute });
  }
  await lab.poll();
  await lab.skip(20 * minute);
  const { devices } = await lab.as.admin.devices.list({ query: {} });
  const marked = devices.find(({ ip }) => ip === device);
  const deviceId = marked?.deviceId ?? '';
  const mac = marked?.mac ?? '';
  let ports = 51_000;
  const readDns = async () => (await lab.as.admin.config.dataSources({})).dns;
  const untilDns = async (isTrue: (dns: Awaited<ReturnType<typeof readDns>>) => boolean) => {
    // Logs are followed in real time. No virtual time passes meanwhile: which hour counts a connection must not vary.
    await expect.poll(async () => isTrue(await readDns())).toBe(true);
  };

  const whole = opened.move();
  return {
    lab,
    server,
    deviceId,
    mac,
    agentId,
    /** A connection of each kind from the device, as the router, its Agent and the name server show it. */
    async contact() {
      ports += 1;
      home.flow({ src: device, dst: '198.51.100.77', dport: 31_613, sport: ports, lastsMs: 5 * minute });
      home.flow({ src: other, dst: openDestination, dport: 443, lastsMs: 5 * minute });
      await untilDns(({ state }) => state === 'following');
      const { lines: before } = await readDns();
      appendFileSync(
        dnsLog,
        [
          `dnsmasq[1]: query[A] secret-clinic.example from ${device}`,
          'dnsmasq[1]: reply secret-clinic.example is 198.51.100.77',
          `dnsmasq[1]: query[A] public.example from ${other}`,
          `dnsmasq[1]: reply public.example is ${openDestination}`,
          '',
        ].join('\n'),
      );
      await untilDns(({ lines: read }) => read >= before + 4);
      await lab.poll();
      const at = lab.clock.now();
      const told = { remoteAddress: '198.51.100.78', remotePort: 31_614, localPort: ports, processName: 'tellingd' };
      const body = batchOf(at, [observation(at, told)]);
      await agentClient(lab.url, token).agents.ingest({ body });
      await lab.settled();
      await lab.poll();
      await lab.poll();
    },
    /** What a day brings: a restart, hours that close and go to ClickHouse, a question to an AI. */
    async pass() {
      await lab.restart();
      await lab.poll();
      for (let passed = 0; passed < 3; passed += 1) {
        await lab.skip(60 * minute);
      }
      await lab.advance(minute);
      const to = lab.clock.now();
      await lab.as.admin.ai.analyze({ body: { from: to - 360 * minute, to } }).catch(() => undefined);
    },
    backup: async () => (await lab.as.admin.backup.create({ body: {} })).name,
    /** Each place with an address, name, port or program of a contact, and which. */
    async scan(): Promise<string[]> {
      await lab.settled();
      const found = [
        ...scanFolder(lab.dataDir),
        ...scanText('log', JSON.stringify(lines)),
        ...scanText('ClickHouse', JSON.stringify([rowsOfServer(server), server.journal()])),
        ...scanText('AI', JSON.stringify(lab.ai.requests())),
      ];
      const range = `from=${lab.clock.now() - 24 * 60 * minute}`;
      for (const route of Object.values(api).flatMap((group) => Object.values(group))) {
        if (route.method === 'GET' && !route.path.includes('*') && route.path !== '/api/events') {
          const at = route.path.replace(':agentId', agentId).replace(/:\w+/, deviceId);
          for (const query of ['', `?${range}`, '?all=1&limit=500', '?format=csv']) {
            const { text } = await lab.as.raw({ method: 'GET', path: `${at}${query}` });
            found.push(...scanText(`GET ${route.path}`, text));
          }
        }
      }
      return [...new Set(found)].sort();
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

function scanText(place: string, text: string, texts: readonly string[] = secrets.texts): string[] {
  // Digits of a port are also in random numbers and ids: it counts where nothing is beside it.
  const isIn = (secret: string) =>
    /^\d+$/.test(secret) ? new RegExp(`(?<![\\w.-])${secret}(?![\\w.-])`).test(text) : text.includes(secret);
  return texts.filter(isIn).map((secret) => `${place}: ${secret}`);
}

/** Bytes of every file, write-ahead logs included; ports also as numbers in every column of the databases. */
export function scanFolder(
  folder: string,
  isScanned: (file: string) => boolean = () => true,
  texts: readonly string[] = secrets.texts,
): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter(isScanned)
    .flatMap((file) => {
      const name = path.relative(folder, file);
      const text = readFileSync(file, 'latin1');
      const ofPorts = text.startsWith('SQLite format 3')
        ? scanTables(file, texts).map((found) => `${name}: ${found}`)
        : [];
      // Digits of ports are in random numbers too.
      return [...scanText(name, text, texts).filter((found) => !/: \d{5}$/.test(found)), ...ofPorts];
    });
}

function scanTables(file: string, texts: readonly string[]): string[] {
  const db = new Database(file, { readonly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
    return tables.flatMap((table) =>
      (db.prepare(`SELECT * FROM "${table}"`).raw().all() as unknown[][])
        .flat()
        .filter((value) => secrets.ports.includes(value as number) || texts.includes(String(value)))
        .map((value) => `${table} ${value}`),
    );
  } finally {
    db.close();
  }
}
