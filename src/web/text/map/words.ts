// The dictionary of the map, which comes with it and not with the first view.
import { createDictionary } from '../text.ts';
import { en, type MapDictionary } from './en.ts';

export const words = createDictionary<MapDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
