// Sends values as Zabbix trapper items with the sender command.
import { runCommand, summarizeOutput } from './command.ts';
import { Failure } from './failure.ts';
import { formatAuthority } from './host.ts';
import type { Reading } from './items.ts';
import { limits } from './limits.ts';

export interface TrapperTarget {
  server: string;
  port: number;
  host: string;
}

const sender = 'zabbix_sender';

/** Throws a Failure that says what went wrong. */
export async function sendToTrapper(
  readings: readonly Reading[],
  target: TrapperTarget,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  const { server, port } = target;
  const done = await runCommand(sender, ['-z', server, '-p', String(port), '-i', '-'], {
    input: formatTrapperLines(readings, target.host),
    env,
    limitMs: limits.trapperSendMs,
    signal,
  });
  if (done === null) {
    throw new Failure(
      `the trapper needs ${sender} (package zabbix-sender; in Debian zabbix-agent), which is not installed`,
    );
  }
  const counts = parseCounts(done.stdout);
  if (done.code === 0 && (counts?.failed ?? 0) === 0) {
    return;
  }
  const where = formatAuthority(server, port);
  if (counts && counts.failed > 0) {
    throw new Failure(
      `the trapper at ${where} refused ${counts.failed} of ${counts.total} values: it must know the host "${target.host}" and its trapper items ups.* (${sender} exit code ${done.code})`,
    );
  }
  throw new Failure(
    // The sender prints network errors to stdout and argument errors to stderr.
    `sending to the trapper at ${where} failed (${sender} exit code ${done.code}): ${summarizeOutput(done.stderr, done.stdout)}; check address and port, and that the server takes trapper items`,
  );
}

/** `"host" key "value"`, one item per line. */
export function formatTrapperLines(readings: readonly Reading[], host: string): string {
  return readings.map(({ item, text }) => `${quote(host)} ups.${item.name} ${quote(text)}\n`).join('');
}

/** Escapes `"` and `\\`, and replaces line ends, which would start a new item. */
function quote(text: string): string {
  return `"${text.replace(/[\r\n]+/g, ' ').replace(/[\\"]/g, (one) => `\\${one}`)}"`;
}

export interface TrapperCounts {
  processed: number;
  failed: number;
  total: number;
}

/** Sums the counts in the sender's output; null when there are none. */
export function parseCounts(printed: string): TrapperCounts | null {
  const answers = [...printed.matchAll(/processed: (\d{1,9}); failed: (\d{1,9}); total: (\d{1,9})/g)];
  if (answers.length === 0) {
    return null;
  }
  const sum = (at: number) => answers.reduce((total, answer) => total + Number(answer[at]), 0);
  return { processed: sum(1), failed: sum(2), total: sum(3) };
}
