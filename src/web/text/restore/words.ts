// The dictionary of restoring a backup, which comes with the backups and not with the first view.
import { createDictionary } from '../text.ts';
import { en, type RestoreDictionary } from './en.ts';

export const words = createDictionary<RestoreDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
