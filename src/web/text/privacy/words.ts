// The dictionary of what is not kept, which comes with the page of a device and with the settings.
import { createDictionary } from '../text.ts';
import { en, type PrivacyDictionary } from './en.ts';

export const words = createDictionary<PrivacyDictionary>(en, { ja: async () => (await import('./ja.ts')).ja });
