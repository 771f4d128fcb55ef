// The words of the alerts page, loaded with it.
import { createDictionary } from '../text.ts';
import { type AlertsDictionary, en } from './en.ts';

export const words = createDictionary<AlertsDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
