// The dictionary of the log, which comes with it and not with the first view.
import { createDictionary } from '../text.ts';
import { en, type LogDictionary } from './en.ts';

export const words = createDictionary<LogDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
