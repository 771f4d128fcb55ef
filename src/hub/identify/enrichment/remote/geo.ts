// Geolocation by a service of the operator's choice, in the formats of the common ones.
import { z } from 'zod';
import { isCountry } from '#contract/countries.ts';
import { limits } from '#contract/limits.ts';
import { readInput } from '#kernel/text/problem.ts';
import { visibleText } from '#kernel/text/visible-text.ts';
import type { HttpsJson } from './https-json.ts';
import type { LookUp } from './look-up.ts';

const text = z
  .string()
  .trim()
  .min(1)
  .transform((value) => visibleText(value, 130))
  .optional()
  .catch(undefined);
const degrees = z.coerce.number().min(-180).max(180).optional().catch(undefined);

/** `country` or `country_code`; `latitude` and `longitude`, `lat` and `lon`, or `loc` as `lat,lon`; `org` or `as_name`. */
const answer = z.object({
  country: text,
  country_code: text,
  city: text,
  latitude: degrees,
  longitude: degrees,
  lat: degrees,
  lon: degrees,
  loc: text,
  org: text,
  as_name: text,
});

export interface GeoOptions {
  https: HttpsJson;
  /** With `{ip}` as the placeholder of the address. */
  url: string;
  /** Sent as a bearer token; empty: none. */
  token: string;
}

export function createGeoLookUp({ https, url, token }: GeoOptions): LookUp {
  return async (address, signal) => {
    const asked = url.replace('{ip}', encodeURIComponent(address));
    const found = await https.ask(asked, { headers: token === '' ? {} : { authorization: `Bearer ${token}` }, signal });
    const parsed = readInput(answer, found ?? {});
    if (!parsed.success) {
      throw new Error(`${new URL(url.replace('{ip}', '')).host} did not answer with a location`);
    }
    return { facts: toFacts(parsed.data), keepMs: limits.geoKeptMs };
  };
}

function toFacts(data: z.output<typeof answer>) {
  const code = [data.country_code, data.country].find((one) => one !== undefined && isCountry(one)) ?? null;
  const [left, right] = data.loc?.split(',').map(Number) ?? [];
  const lat = data.latitude ?? data.lat ?? toDegrees(left);
  const lon = data.longitude ?? data.lon ?? toDegrees(right);
  const isPlaced = lat !== null && lon !== null && Math.abs(lat) <= 90;
  return {
    country: code,
    // Some services put the AS number before the name.
    org: (data.org ?? data.as_name)?.replace(/^AS\d+ /, '').slice(0, 120) ?? null,
    lat: isPlaced ? lat : null,
    lon: isPlaced ? lon : null,
    city: data.city?.slice(0, 120) ?? null,
  };
}

function toDegrees(number: number | undefined): number | null {
  return number !== undefined && Number.isFinite(number) && Math.abs(number) <= 180 ? number : null;
}
