// The classes of blocks, and who runs or reads each. A block of any other class is an error.

/** Class → what happens to its blocks. CONTRIBUTING.md has the same table for writers. */
export const classes: Readonly<Record<string, 'run' | 'typed' | 'queried' | 'parsed' | 'shown'>> = {
  sh: 'run',
  yamaha: 'typed',
  ios: 'typed',
  sql: 'queried',
  json: 'parsed',
  jsonl: 'parsed',
  yaml: 'parsed',
  ini: 'parsed',
  env: 'parsed',
  ts: 'parsed',
  xml: 'parsed',
  text: 'shown',
  mermaid: 'shown',
};

/**
 * Documents whose commands need stages of their own, and the test that has them. All others are run by
 * test/e2e/documents.test.ts on one stage.
 */
export const ownStages: Readonly<Record<string, string>> = {
  'docs/backup.md': 'test/e2e/documents-backup.test.ts',
};

/** Whether a command of the block has to be run by a test. */
export function isRun(block: { class: string; name: string }): boolean {
  return ['run', 'typed', 'queried'].includes(classes[block.class] ?? '') && block.name !== 'elsewhere';
}
