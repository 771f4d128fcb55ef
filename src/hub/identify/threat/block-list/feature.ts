// The block list as a feature.
import type { Base, Feature, HubHandlers } from '../../../base/feature.ts';
import { createBlockList } from './block-list.ts';
import { createBlockListHandlers } from './handlers.ts';

export function startBlockListFeature({
  clock,
  log,
  settings,
  readers,
}: Base): Feature<Pick<HubHandlers, 'blockList'>> {
  const blockList = createBlockList({ clock, log, settings, reads: readers.reads });
  return { handlers: { blockList: createBlockListHandlers({ blockList, settings, clock }) } };
}
