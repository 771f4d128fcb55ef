// The dictionary of the insights, which comes with them and not with the first view.
import { createDictionary } from '../text.ts';
import { en, type InsightsDictionary } from './en.ts';

export const words = createDictionary<InsightsDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
