// The dictionary of the settings, which comes with them and not with the first view.
import { createDictionary } from '../text.ts';
import { en, type SettingsDictionary } from './en.ts';

export const words = createDictionary<SettingsDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
