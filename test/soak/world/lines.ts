// Whole lines of what a program prints, each handed out once.

export interface LineReader {
  /** The lines that were completed since the last call. */
  take(): string[];
}

export function createLineReader(text: () => string): LineReader {
  let read = 0;
  return {
    take() {
      const fresh = text().slice(read);
      const end = fresh.lastIndexOf('\n') + 1;
      read += end;
      return end === 0 ? [] : fresh.slice(0, end - 1).split('\n');
    },
  };
}
