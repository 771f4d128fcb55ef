// Texts of the insights page, apart from text.ts so that they load with that page and not at the start.
import { createDictionary } from '../text.ts';
import { en, type InsightsDictionary } from './en.ts';

export const words = createDictionary<InsightsDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
