// The world as the web UI draws it: each country with a point in it and, unless it is too small, its outline, projected once
// here. Natural Earth (public domain), as world-atlas has it.
import { createRequire } from 'node:module';
import { geoEqualEarth, geoPath } from 'd3-geo';
import countryCodes from 'i18n-iso-countries';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

/** Units of the picture. */
export const worldSize = { width: 960, height: 468 };

/** Code (null where there is none), point, outline as an SVG path or empty. */
export type WorldCountry = [code: string | null, x: number, y: number, outline: string];

export interface WorldMap {
  width: number;
  height: number;
  countries: WorldCountry[];
}

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }> }>;

const require = createRequire(import.meta.url);

function countriesOf(detail: '110m' | '50m') {
  const atlas = require(`world-atlas/countries-${detail}.json`) as Atlas;
  return feature(atlas, atlas.objects.countries).features;
}

type Feature = ReturnType<typeof countriesOf>[number];

/** Kosovo has no number in ISO 3166, and is XK by common use. */
function codeOf({ id, properties }: Feature): string | null {
  return properties.name === 'Kosovo' ? 'XK' : (countryCodes.numericToAlpha2(id ?? '') ?? null);
}

/** The same projection as `src/web/map/equal-earth.ts`. */
export function worldProjection() {
  const { width, height } = worldSize;
  return geoEqualEarth().fitSize([width, height], { type: 'Sphere' });
}

export function createWorldMap(): WorldMap {
  const path = geoPath(worldProjection()).digits(1);
  const pointOf = (one: Feature) => path.centroid(one).map((value) => Math.round(value * 10) / 10) as [number, number];
  const drawn = countriesOf('110m')
    .map((one): WorldCountry => [codeOf(one), ...pointOf(one), path(one) ?? ''])
    .filter(([code]) => code !== 'AQ');
  const known = new Set(drawn.map(([code]) => code));
  const small = countriesOf('50m')
    .map((one): WorldCountry => [codeOf(one), ...pointOf(one), ''])
    .filter(([code]) => code !== null && code !== 'AQ' && !known.has(code));
  // Of several parts with one code the first is the country itself.
  const unique = small.filter(([code], at) => small.findIndex(([other]) => other === code) === at);
  return { ...worldSize, countries: [...drawn, ...unique] };
}
