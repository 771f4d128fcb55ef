// The dictionary of the list of first steps.
import { createDictionary } from '../text.ts';
import { en, type StartDictionary } from './en.ts';

export const words = createDictionary<StartDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
