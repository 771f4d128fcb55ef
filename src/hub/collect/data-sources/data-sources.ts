// Follows up to three logs as the settings say, and reports the findings in their lines.
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
  onFindings(source: DataSourceName, findings: readonly Finding[]): Promise<void>;
}

interface SourceStatus extends Message {
  state: TailState['state'] | 'off';
  /** Lines read since the file was chosen, and those of a known form among them. */
  lines: number;
  understood: number;
  /** Epoch milliseconds of the hub; null before the first line. */
  lastLineAt: number | null;
}

export type DataSources = ReturnType<typeof startDataSources>;

const readerFactories: Record<DataSourceName, () => LineReader> = {
  dns: createDnsLogReader,
  dhcp: createDhcpLogReader,
  inspect: createInspectLogReader,
};

const createStatus = (): SourceStatus => ({ state: 'off', ...toMessage(), lines: 0, understood: 0, lastLineAt: null });

export function startDataSources(options: DataSourcesOptions) {
  const { log } = options;
  const statuses: Record<DataSourceName, SourceStatus> = {
    dns: createStatus(),
    inspect: createStatus(),
    dhcp: createStatus(),
  };
  const running = new Map<DataSourceName, { file: string; tail: AsyncDisposable }>();
  const turns = new Semaphore(1);
  let isDisposed = false;

  const findWantedFile = (name: DataSourceName) => {
    const { enabled, logFile } = options.settings()[name];
    return !isDisposed && enabled && logFile !== '' ? logFile : undefined;
  };
  const start = (name: DataSourceName) => {
    statuses[name] = createStatus();
    const file = findWantedFile(name);
    if (file !== undefined) {
      statuses[name].state = 'waiting';
      running.set(name, { file, tail: startReader(options, name, file, statuses[name]) });
    }
  };
  const restartIfChanged = async (name: DataSourceName) => {
    const before = running.get(name);
    if (before?.file === findWantedFile(name)) {
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
  const restartChanged = async () => {
    const outcomes = await Promise.allSettled(dataSourceNames.map(restartIfChanged));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) {
      throw failed.reason;
    }
  };
  // Calls run one after another: each rejects only with its own failure.
  const apply = () => turns.use(restartChanged);

  dataSourceNames.forEach(start);
  return {
    status: (name: DataSourceName) => statuses[name],
    /**
     * Follows the logs of the current settings; none after disposal. Rejects when a log could not be closed, after
     * it has started all wanted ones.
     */
    apply,
    [Symbol.asyncDispose]() {
      isDisposed = true;
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
  const reader = readerFactories[name]();
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
    onState(next) {
      if (status.state !== next.state && next.state === 'failed') {
        log.warn({ source: name }, next.message);
      }
      Object.assign(status, next);
    },
  });
}
