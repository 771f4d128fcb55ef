// The dictionary of everything about AI providers, which comes with the places that show it.
import { createDictionary } from '../text.ts';
import { type AiDictionary, en } from './en.ts';

export const words = createDictionary<AiDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
