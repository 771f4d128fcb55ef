// Links to the settings, and to one card of them.
import { rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import type { SettingsDictionary } from '../text/settings/en.ts';

export type SectionName = keyof SettingsDictionary['sections'];

/** `part` names the card that gets the focus. */
export function hrefToSetting(section: SectionName, part?: string): string {
  return hrefTo('settings', { ...rangeParameters.value, section, part });
}
