// How often a write gives way to others, for tests of writes that may be long.
import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';

/** A database whose writes are counted: `writes` holds, for each one in its order, how often it gave way. */
export function countSteps(db: Db): Db & { writes: readonly number[] } {
  const writes: number[] = [];
  function* count<T>(steps: WriteSteps<T>): WriteSteps<T> {
    const index = writes.push(0) - 1;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) {
        return step.value;
      }
      writes[index] = (writes[index] ?? 0) + 1;
      yield;
    }
  }
  const counted =
    (write: Db['write']): Db['write'] =>
    <T>(work: (writer: Writer) => T | WriteSteps<T>) =>
      write.call(db, (writer) => count(work(writer) as WriteSteps<T>)) as Promise<T>;
  return Object.assign(Object.create(db), { writes, write: counted(db.write), save: counted(db.save) });
}
