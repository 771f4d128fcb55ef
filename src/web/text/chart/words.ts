// The dictionary of the chart of connections over time.
import { createDictionary } from '../text.ts';
import { type ChartDictionary, en } from './en.ts';

export const words = createDictionary<ChartDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
