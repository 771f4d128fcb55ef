// The three followed logs: their readers are started and stopped as the settings say, and tell what they found.
import { type DataSourceName, dataSourceNames } from '#contract/config.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Settings } from '../settings/schema.ts';
import { createDhcpLogReader } from './dhcp-log.ts';
import { createDnsLogReader } from './dns-log.ts';
import type { Finding, LineReader } from './findings.ts';
import { createInspectLogReader } from './inspect-log.ts';
import { checkLogPath } from './log-path.ts';
import { startTail, type TailState } from './tail.ts';

export interface DataSourcesOptions {
  clock: Clock;
  log: Log;
  settings: () => Settings['dataSources'];
  /** Folders for logs besides the usual ones. */
  pathPrefixes: readonly string[];
  /** Told what some lines of one log told. */
  onFindings(source: DataSourceName, findings: readonly Finding[]): Promise<void>;
}

export interface SourceStatus {
  state: TailState['state'] | 'off';
  message: string;
  lines: number;
  understood: number;
  lastLineAt: number | null;
}

export interface DataSources extends AsyncDisposable {
  status(name: DataSourceName): SourceStatus;
  /** Follows what the settings say now. */
  apply(): Promise<void>;
}

const readers: Record<DataSourceName, () => LineReader> = {
  dns: createDnsLogReader,
  dhcp: createDhcpLogReader,
  inspect: createInspectLogReader,
};

const off = (): SourceStatus => ({ state: 'off', message: '', lines: 0, understood: 0, lastLineAt: null });

export function startDataSources(options: DataSourcesOptions): DataSources {
  const statuses: Record<DataSourceName, SourceStatus> = { dns: off(), inspect: off(), dhcp: off() };
  const running = new Map<DataSourceName, { file: string; tail: AsyncDisposable }>();
  let applied: Promise<void> = Promise.resolve();

  const apply = async () => {
    for (const name of dataSourceNames) {
      const { enabled, logFile } = options.settings()[name];
      const wanted = enabled ? logFile : '';
      const before = running.get(name);
      if (before?.file !== (wanted || undefined)) {
        running.delete(name);
        await before?.tail[Symbol.asyncDispose]();
        statuses[name] = off();
        if (wanted !== '') {
          statuses[name].state = 'waiting';
          running.set(name, { file: wanted, tail: startReader(options, name, wanted, statuses[name]) });
        }
      }
    }
  };
  const inTurn = () => {
    applied = applied.then(apply);
    return applied;
  };
  void inTurn();
  return {
    status: (name) => statuses[name],
    apply: inTurn,
    async [Symbol.asyncDispose]() {
      await applied;
      await Promise.all([...running.values()].map(({ tail }) => tail[Symbol.asyncDispose]()));
    },
  };
}

function startReader(
  { clock, log, pathPrefixes, onFindings }: DataSourcesOptions,
  name: DataSourceName,
  file: string,
  status: SourceStatus,
): AsyncDisposable {
  const reader = readers[name]();
  return startTail({
    file,
    clock,
    async refusal() {
      const checked = await checkLogPath(file, pathPrefixes);
      return 'refusal' in checked ? checked.refusal : null;
    },
    async onLines(lines) {
      const findings: Finding[] = [];
      for (const line of lines) {
        const told = reader.read(line);
        status.understood += told === null ? 0 : 1;
        findings.push(...(told ?? []));
      }
      status.lines += lines.length;
      status.lastLineAt = lines.length > 0 ? clock.now() : status.lastLineAt;
      if (findings.length > 0) {
        await onFindings(name, findings).catch((error: unknown) => {
          log.error({ err: error, source: name }, 'what a followed log told could not be recorded');
        });
      }
    },
    onState({ state, message }) {
      if (status.state !== state && state === 'failed') {
        log.warn({ source: name }, message);
      }
      Object.assign(status, { state, message });
    },
  });
}
