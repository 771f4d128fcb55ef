// The reader threads as a feature: the check that reads work.
import type { Base, Feature } from '../feature.ts';
import { startReaderCheck } from './reader-check.ts';

export function startReadersFeature({ clock, log, folder, readers, options }: Base): Feature {
  // Exports and scans run the program of `reads`.
  const check = startReaderCheck({
    clock,
    log,
    file: folder.databaseFile,
    ask: (signal) => Promise.all([readers.reads.check(signal), readers.summaries.check(signal)]),
    isEager: options.startsReaders !== false,
  });
  readers.watch(check);
  return {
    status: () => ({ warnings: [check.last()] }),
    notReady: async () => ((await check.problem()) === null ? null : 'reads_fail'),
    [Symbol.asyncDispose]: () => check[Symbol.asyncDispose](),
  };
}
