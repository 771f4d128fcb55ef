// The texts of the connection log, which load with that page and not at the start.
import { createDictionary } from '../text.ts';
import { en, type LogDictionary } from './en.ts';

export const words = createDictionary<LogDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
