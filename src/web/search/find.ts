// Searches places, devices and connections for a text. Each result links to the view that shows it.
import type { Reply } from '../api/client.ts';
import { type Device, deviceAddresses, fullDeviceName } from '../devices/names.ts';
import { places } from '../frame/places.ts';
import { deviceHref, exactLogHref, rangeParameters } from '../state/range.ts';
import { hrefTo } from '../state/url.ts';
import { country, maker, number } from '../text/format.ts';
import type { FrameDictionary } from '../text/frame/en.ts';
import { words } from '../text/frame/words.ts';
import { text } from '../text/text.ts';
import type { LogMatches } from './found.ts';

export interface Result {
  title: string;
  more: string;
  to: string;
}

export interface Group {
  name: keyof FrameDictionary['search']['groups'];
  results: readonly Result[];
}

export interface Known {
  devices: readonly Device[];
  summary: Reply<'GET /api/connections/summary'> | null;
  /** Matches of this text in the log. */
  found: LogMatches | null;
  /** Finds settings; null while their words are being loaded. */
  findSettings: ((typed: string) => Result[]) | null;
}

/** Most results of one group. */
const most = 5;

export function find(typed: string, { devices, summary, found, findSettings }: Known): Group[] {
  const wanted = typed.trim().toLowerCase();
  const has = (...texts: readonly (string | null)[]) => texts.some((one) => one?.toLowerCase().includes(wanted));
  const shownPlaces = places.map(({ path, name }) => ({ title: text.value.places[name], path }));
  const groups: Group[] = [
    {
      name: 'places',
      results: shownPlaces
        .filter(({ title }) => has(title))
        .map(({ title, path }) => ({ title, more: '', to: hrefTo(path, rangeParameters.value) })),
    },
  ];
  if (wanted === '') {
    return groups;
  }
  const byDst = [...(summary?.byDst ?? []), ...(found?.rows ?? [])];
  const several = (values: readonly (string | null)[]) =>
    [...new Set(values)].filter((value) => value !== null && value !== '' && has(value)).slice(0, most) as string[];
  const rows = (title: (value: string) => string, field: 'fDst' | 'fOrg' | 'fCountry', values: readonly string[]) =>
    values.map((value) => ({
      title: title(value),
      more: '',
      to: exactLogHref({ [field]: value }),
    }));
  const same = (value: string) => value;
  const countries = [...new Set(byDst.map((one) => one.country))].filter(
    (code) => code !== null && has(code, country(code)),
  );
  groups.push(
    { name: 'settings', results: findSettings?.(typed) ?? [] },
    {
      name: 'devices',
      results: devices
        .filter(({ dnsName, mdnsName, netbiosName, vendor, interfaces, mac, ...one }) =>
          has(
            dnsName,
            mdnsName,
            netbiosName,
            vendor,
            mac,
            ...deviceAddresses({ mac, ...one } as Device),
            ...listMacs(interfaces),
          ),
        )
        .slice(0, most)
        .map((device) => ({
          title: fullDeviceName(device),
          more: maker(device.vendor) ?? '',
          to: deviceHref(device.deviceId),
        })),
    },
    { name: 'addresses', results: rows(same, 'fDst', several(byDst.map(({ dst }) => dst))) },
    { name: 'hosts', results: rows(same, 'fDst', several(byDst.map(({ dstHost }) => dstHost))) },
    { name: 'organisations', results: rows(same, 'fOrg', several(byDst.map(({ org }) => org))) },
    { name: 'countries', results: rows(country, 'fCountry', countries.slice(0, most) as string[]) },
    { name: 'log', results: logRows(typed.trim(), found) },
  );
  return groups.filter(({ results }) => results.length > 0);
}

const listMacs = (interfaces: Device['interfaces']) => interfaces.map(({ mac }) => mac);

/** Links that filter the whole log by the text, also when nothing was found in memory. */
function logRows(typed: string, found: LogMatches | null): Result[] {
  const t = words.value.search;
  return (['fDst', 'fOrg', 'fSrc'] as const).map((field) => ({
    title: t.rows[field](typed),
    more: found === null ? '' : t.connections(found.totals[field], number(found.totals[field])),
    to: hrefTo('connections', { ...rangeParameters.value, [field]: typed, [`${field}Mode`]: 'contains' }),
  }));
}
