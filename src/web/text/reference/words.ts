// The dictionary of the reference, which comes with it and not with the first view.
import { dictionaryOf } from '../text.ts';
import { en, type ReferenceDictionary } from './en.ts';

export const words = dictionaryOf<ReferenceDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
