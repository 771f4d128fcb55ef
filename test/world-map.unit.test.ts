// The outlines of the world, and the projection that puts places on them.
import { expect, test } from 'vitest';
import { isCountry } from '#contract/countries.ts';
import { createWorldMap, worldProjection, worldSize } from '../scripts/world-map.ts';
import { equalEarth } from '../src/web/map/equal-earth.ts';

test('the projection of the page is that of the build, everywhere', () => {
  const build = worldProjection();
  for (let lat = -90; lat <= 90; lat += 7.5) {
    for (let lon = -180; lon <= 180; lon += 15) {
      const [x, y] = equalEarth({ lon, lat }, worldSize);
      const [wantedX, wantedY] = build([lon, lat]) ?? [];
      expect([lon, lat, x, y]).toEqual([lon, lat, expect.closeTo(wantedX ?? -1, 6), expect.closeTo(wantedY ?? -1, 6)]);
    }
  }
});

test('every country is there once, known by its code, and lies within the picture', () => {
  const { width, height, countries } = createWorldMap();
  const codes = countries.flatMap(([code]) => code ?? []);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes.filter((code) => !isCountry(code))).toEqual(['XK']);
  expect(codes.length).toBeGreaterThan(230);
  for (const [, x, y, outline] of countries) {
    expect(x >= 0 && x <= width && y >= 0 && y <= height).toBe(true);
    expect(outline).toMatch(/^(?:M[\d.,MLZ-]+)?$/);
  }
  const outlined = new Map(countries.map(([code, , , outline]) => [code, outline !== '']));
  expect([outlined.get('DE'), outlined.get('SG'), outlined.get('MT')]).toEqual([true, false, false]);
});

test('a place lies where its country is drawn', () => {
  const { countries } = createWorldMap();
  const [, x, y] = countries.find(([code]) => code === 'SG') ?? [];
  const [placeX, placeY] = equalEarth({ lat: 1.35, lon: 103.8 }, worldSize);
  expect(Math.hypot(placeX - (x ?? 0), placeY - (y ?? 0))).toBeLessThan(2);
});
