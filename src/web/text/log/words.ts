// The dictionary of the log, which comes with it and not with the first view.
import { dictionaryOf } from '../text.ts';
import { en, type LogDictionary } from './en.ts';

export const words = dictionaryOf<LogDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
