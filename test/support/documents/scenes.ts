// Blocks that need more than to be run: what never ends, what others have to see. By document and name of the block.
import { expect } from 'vitest';
import { api } from '#contract/index.ts';
import { createActors } from '../actors.ts';
import { eventually } from '../eventually.ts';
import type { Block } from './blocks.ts';
import { mcpScenes } from './mcp-scenes.ts';
import type { DocumentStage } from './stage.ts';
import { upsgetScenes } from './upsget-scenes.ts';

export type Scene = (block: Block, stage: DocumentStage) => Promise<void>;

/** Adds the router that a person has prepared: it becomes ready, and the hub types nothing there but what reads. */
async function addRouter(block: Block, stage: DocumentStage, kind: 'yamaha' | 'ios'): Promise<void> {
  const { violations, url } = stage.routers[kind];
  const before = violations.length;
  const admin = createActors(api, stage.hub, stage.adminToken).admin;
  await stage.shell([block]);
  const router = await eventually(
    () => admin.routers.list({}),
    ({ routers }) => routers.find(({ port, state }) => port === Number(url.port) && state === 'ready'),
  );
  expect(router).toMatchObject({ user: 'gatehouse', hostKeyPinned: true, complete: true });
  expect(router.sessionCount).toBeGreaterThan(0);
  expect(violations.slice(before)).toEqual([]);
}

export const scenes: Readonly<Record<string, Scene>> = {
  ...upsgetScenes,
  ...mcpScenes,
  // The engine is part of test/engine: here the words of the query are compared with the schema.
  'docs/scale.md clickhouse': async (block, stage) => {
    const schema = await stage.shell([{ ...block, text: 'gatehouse sink schema' }]);
    const words = block.text.replace(/'[^']*'/g, '').match(/\b[a-z][a-z_]*\b(?!\()/g) ?? [];
    expect(words.filter((word) => !schema.includes(`\`${word}\``))).toEqual([]);
  },
  'docs/quick-start-vendor-a.md add': (block, stage) => addRouter(block, stage, 'yamaha'),
  'docs/quick-start-vendor-b.md add': (block, stage) => addRouter(block, stage, 'ios'),
};
