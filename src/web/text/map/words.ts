// The dictionary of the map, which comes with it and not with the first view.
import { dictionaryOf } from '../text.ts';
import { en, type MapDictionary } from './en.ts';

export const words = dictionaryOf<MapDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
