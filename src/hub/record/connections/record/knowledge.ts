// What an Agent knows of a flow: its process and the bytes, in columns that a router never touches.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { AgentKnowledge } from '../store/observation.ts';
import { joinKnowledge } from './merge.ts';

interface Columns {
  host: string | null;
  process: string;
  pid: number;
  bytesIn: string | null;
  bytesOut: string | null;
}

export function createKnowledgeColumns(writer: Writer) {
  const find = writer.prepare(
    'SELECT agent_host AS host, process, pid, bytes_in AS bytesIn, bytes_out AS bytesOut FROM flow WHERE id = ?',
  );
  const update = writer.prepare(
    `UPDATE flow SET agent_host = @host, process = @process, pid = @pid, bytes_in = @bytesIn, bytes_out = @bytesOut
     WHERE id = @flow`,
  );
  return {
    /** Stores the process when `isNewer`, or when none is stored; adds the bytes to those that are. */
    add(flow: number, knowledge: AgentKnowledge, isNewer: boolean) {
      const stored = toKnowledge(find.get(flow) as Columns);
      const joined = isNewer
        ? joinKnowledge(stored ?? knowledge, stored ? knowledge : undefined)
        : joinKnowledge(knowledge, stored);
      update.run({
        flow,
        host: joined.host,
        process: joined.process,
        pid: joined.pid === 0 ? null : joined.pid,
        bytesIn: formatCounter(joined.bytesIn),
        bytesOut: formatCounter(joined.bytesOut),
      });
    },
  };
}

function toKnowledge({ host, bytesIn, bytesOut, ...columns }: Columns): AgentKnowledge | undefined {
  return host === null
    ? undefined
    : { ...columns, host, bytesIn: parseCounter(bytesIn), bytesOut: parseCounter(bytesOut) };
}

const parseCounter = (digits: string | null) => (digits === null ? null : BigInt(digits));
const formatCounter = (counter: bigint | null) => counter?.toString() ?? null;
