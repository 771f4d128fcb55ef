// The dictionary of what the frame opens: custom period, search, keys. It comes with the first of them.
import { createDictionary } from '../text.ts';
import { en, type FrameDictionary } from './en.ts';

export const words = createDictionary<FrameDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
