// The dictionary of the reference, which comes with it and not with the first view.
import { createDictionary } from '../text.ts';
import { en, type ReferenceDictionary } from './en.ts';

export const words = createDictionary<ReferenceDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
