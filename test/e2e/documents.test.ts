// Every command of the documents that have no stage of their own, run on the demo; test/documents.test.ts says what is left out.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Block, blocksIn, documentNames } from '../support/documents/blocks.ts';
import { isRun, ownStages } from '../support/documents/classes.ts';
import { typeBlock } from '../support/documents/router-commands.ts';
import { scenes } from '../support/documents/scenes.ts';
import { type DocumentStage, startDocumentStage } from '../support/documents/stage.ts';

let stage: DocumentStage;
beforeAll(async () => {
  stage = await startDocumentStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const documents = documentNames()
  .filter((file) => !(file in ownStages))
  .map(
    (file) =>
      [
        file,
        blocksIn(file).filter((block) => isRun(block) || (block.name !== '' && block.name !== 'elsewhere')),
      ] as const,
  )
  .filter(([, blocks]) => blocks.length > 0);

/** Blocks of shell that follow each other, or one other block: what is run at once. */
function steps(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const made: Block[][] = [];
  for (const block of blocks) {
    const last = made.at(-1);
    const isPlain = (one: Block | undefined) => one?.class === 'sh' && one.name === '';
    if (last !== undefined && isPlain(block) && isPlain(last[0])) {
      last.push(block);
    } else {
      made.push([block]);
    }
  }
  return made;
}

describe.each(documents)('%s', (file, blocks) => {
  test('does what it says', async () => {
    for (const step of steps(blocks)) {
      const [block] = step;
      if (block === undefined) {
        continue;
      }
      if (block.name !== '') {
        const scene = scenes[`${file} ${block.name}`];
        expect(scene, `${file}:${block.line}: no scene is called "${file} ${block.name}"`).toBeDefined();
        await scene?.(block, stage);
      } else if (block.class === 'yamaha' || block.class === 'ios') {
        await typeBlock(block, stage.routers[block.class]);
      } else if (block.class === 'sql') {
        const query = `sqlite3 -readonly "$DATA/monitor.db" <<'END'\n${block.text}END\n`;
        expect(await stage.shell([{ ...block, text: query }])).not.toBe('');
      } else {
        await stage.shell(step);
      }
    }
  });
});

test('each scene is one of a block that is there', () => {
  const named = documents.flatMap(([file, blocks]) => blocks.map(({ name }) => `${file} ${name}`));
  expect(Object.keys(scenes).filter((scene) => !named.includes(scene))).toEqual([]);
});
