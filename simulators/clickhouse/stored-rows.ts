// The rows that inserts brought, as ReplacingMergeTree has them: by hub, hour and flow the greatest version holds.

export interface StoredRow {
  hub: string;
  hour: string;
  flow: string;
  /** Column → text as it came. */
  values: Readonly<Record<string, string>>;
}

const rememberedTokens = 1000;

export type StoredRows = ReturnType<typeof createStoredRows>;

export function createStoredRows() {
  const rows = new Map<string, StoredRow & { version: bigint }>();
  const tokens: string[] = [];
  const state = { inserted: 0, repeated: 0 };
  const put = (values: Record<string, string>) => {
    const { hub = '', hour = '', flow = '', version = '0' } = values;
    const key = `${hub}\t${hour}\t${flow}`;
    const before = rows.get(key);
    state.inserted += 1;
    state.repeated += before?.version === BigInt(version) ? 1 : 0;
    if (before === undefined || before.version <= BigInt(version)) {
      rows.set(key, { hub, hour, flow, values, version: BigInt(version) });
    }
  };
  return {
    /** False when the token was seen before: nothing is inserted. Throws an Error for a row of another length. */
    insert(columns: readonly string[], body: string, token: string | null): boolean {
      if (token !== null && tokens.includes(token)) {
        return false;
      }
      const lines = body.split('\n').slice(0, -1);
      const read = lines.map((line, at) => {
        const texts = line.split('\t');
        if (texts.length !== columns.length) {
          throw new Error(`row ${at + 1} has ${texts.length} columns, not ${columns.length}`);
        }
        return Object.fromEntries(columns.map((column, index) => [column, texts[index] ?? '']));
      });
      for (const values of read) {
        put(values);
      }
      if (token !== null) {
        tokens.push(token);
        tokens.splice(0, tokens.length - rememberedTokens);
      }
      return true;
    },
    /** Every row that was inserted, replaced ones too. */
    get inserted() {
      return state.inserted;
    },
    /** Inserts of the same hub, hour, flow and version: a table without tokens would hold them twice. */
    get repeated() {
      return state.repeated;
    },
    /** The row of the greatest version of each hub, hour and flow. */
    held: (): StoredRow[] => [...rows.values()].map(({ version: _version, ...row }) => row),
    /** Hour → how many rows of the hub `held` has. */
    counts(hub: string): Map<string, number> {
      const counts = new Map<string, number>();
      for (const row of rows.values()) {
        if (row.hub === hub) {
          counts.set(row.hour, (counts.get(row.hour) ?? 0) + 1);
        }
      }
      return counts;
    },
    clear() {
      rows.clear();
      tokens.length = 0;
      Object.assign(state, { inserted: 0, repeated: 0 });
    },
  };
}
