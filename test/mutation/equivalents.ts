// Changes that no test can see, because the program does the same with them: not part of any sample.

export interface Equivalent {
  /** From the root of the repository. */
  file: string;
  /** The name that StrykerJS gives to this kind of change. */
  mutatorName: string;
  /** The text before, in one line. */
  from: string;
  /** The text after, in one line. */
  to: string;
  why: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    file: 'src/kernel/text/json.ts',
    mutatorName: 'BlockStatement',
    from: '{ return undefined; }',
    to: '{}',
    why: 'A function that returns nothing returns undefined.',
  },
  {
    file: 'src/hub/identify/devices/handlers.ts',
    mutatorName: 'ConditionalExpression',
    from: 'sourceKind !== undefined',
    to: 'true',
    why: 'The contract lets sourceKind and sourceId come together or not at all; this is there for the types.',
  },
  {
    file: 'src/hub/identify/devices/handlers.ts',
    mutatorName: 'ConditionalExpression',
    from: 'sourceId !== undefined',
    to: 'true',
    why: 'The contract lets sourceKind and sourceId come together or not at all; this is there for the types.',
  },
  {
    file: 'src/hub/identify/notes/notes.ts',
    mutatorName: 'ConditionalExpression',
    from: 'key !== undefined',
    to: 'true',
    why: 'No id of a device reads "undefined"; this is there for the types.',
  },
  ...['src/hub/base/storage/damage/header.ts', 'src/hub/base/storage/restore/replacement.ts'].map((file) => ({
    file,
    mutatorName: 'ConditionalExpression',
    from: "typeof header === 'string'",
    to: 'false',
    why: 'What is no header has no known formats either, and the other half of the condition asks for those.',
  })),
  {
    file: 'src/upsget/lock.ts',
    mutatorName: 'EqualityOperator',
    from: 'performance.now() > giveUpAt',
    to: 'performance.now() >= giveUpAt',
    why: 'The clock counts nanoseconds: no attempt happens at the very one where the wait ends.',
  },
];
