// The dictionary of everything about AI providers, which comes with the places that show it.
import { dictionaryOf } from '../text.ts';
import { type AiDictionary, en } from './en.ts';

export const words = dictionaryOf<AiDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
