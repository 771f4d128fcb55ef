// The three followed logs: readers are started and stopped by the settings, and report findings.
import { type DataSourceName, dataSourceNames } from '#contract/config.ts';
import { Semaphore } from '#kernel/http/limiter.ts';
import type { Base } from '../../base/feature.ts';
import type { Settings } from '../../base/settings/schema.ts';
import { type Message, toMessage } from '../../base/statements.ts';
import { createDhcpLogReader } from './dhcp-log.ts';
import { createDnsLogReader } from './dns-log.ts';
import type { Finding, LineReader } from './findings.ts';
import { createInspectLogReader } from './inspect-log.ts';
import { openLog } from './log-path.ts';
import { startTail, type TailState } from './tail.ts';

export interface DataSourcesOptions extends Pick<Base, 'clock' | 'log'> {
  settings: () => Settings['dataSources'];
  /** Folders for logs besides the usual ones. */
  pathPrefixes: readonly string[];
  /** Called with the findings in some lines of one log. */
  onFindings(source: DataSourceName, findings: readonly Finding[]): Promise<void>;
}

export interface SourceStatus extends Message {
  state: TailState['state'] | 'off';
  lines: number;
  understood: number;
  lastLineAt: number | null;
}

export type DataSources = ReturnType<typeof startDataSources>;

const readers: Record<DataSourceName, () => LineReader> = {
  dns: createDnsLogReader,
  dhcp: createDhcpLogReader,
  inspect: createInspectLogReader,
};

const off = (): SourceStatus => ({ state: 'off', ...toMessage(), lines: 0, understood: 0, lastLineAt: null });

export function startDataSources(options: DataSourcesOptions) {
  const { log } = options;
  const statuses: Record<DataSourceName, SourceStatus> = { dns: off(), inspect: off(), dhcp: off() };
  const running = new Map<DataSourceName, { file: string; tail: AsyncDisposable }>();
  const turns = new Semaphore(1);
  let isOver = false;

  /** The file to follow now; undefined: none. */
  const wanted = (name: DataSourceName) => {
    const { enabled, logFile } = options.settings()[name];
    return !isOver && enabled && logFile !== '' ? logFile : undefined;
  };
  const start = (name: DataSourceName) => {
    statuses[name] = off();
    const file = wanted(name);
    if (file !== undefined) {
      statuses[name].state = 'waiting';
      running.set(name, { file, tail: startReader(options, name, file, statuses[name]) });
    }
  };
  const follow = async (name: DataSourceName) => {
    const before = running.get(name);
    if (before?.file === wanted(name)) {
      return;
    }
    running.delete(name);
    try {
      await before?.tail[Symbol.asyncDispose]();
    } catch (error) {
      log.error({ err: error, source: name }, 'a followed log could not be closed');
      throw error;
    } finally {
      start(name);
    }
  };
  const followAll = async () => {
    const outcomes = await Promise.allSettled(dataSourceNames.map(follow));
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed) {
      throw (failed as PromiseRejectedResult).reason;
    }
  };
  // One at a time: the failure of one is its own.
  const apply = () => turns.use(followAll);

  dataSourceNames.forEach(start);
  return {
    status: (name: DataSourceName) => statuses[name],
    /**
     * Follows what the settings say now. Rejects when a log that is followed no more could not be closed; what is to be
     * followed is followed all the same. After disposal nothing is.
     */
    apply,
    [Symbol.asyncDispose]() {
      isOver = true;
      return apply();
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
    open: () => openLog(file, pathPrefixes),
    async onLines(lines) {
      const findings: Finding[] = [];
      for (const line of lines) {
        const found = reader.read(line);
        status.understood += found === null ? 0 : 1;
        findings.push(...(found ?? []));
      }
      status.lines += lines.length;
      status.lastLineAt = lines.length > 0 ? clock.now() : status.lastLineAt;
      if (findings.length > 0) {
        await onFindings(name, findings).catch((error: unknown) => {
          log.error({ err: error, source: name }, 'findings of a followed log could not be recorded');
        });
      }
    },
    onState(now) {
      if (status.state !== now.state && now.state === 'failed') {
        log.warn({ source: name }, now.message);
      }
      Object.assign(status, now);
    },
  });
}
