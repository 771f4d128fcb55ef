// A household whose destinations have places on the map, and what a test reads of the map in a real browser.
import path from 'node:path';
import { Db } from '#kernel/sqlite/sqlite.ts';
import type { DetectionLab } from './detection-lab.ts';
import { type AtPage, startHousehold } from './web-lab.ts';

type Page = AtPage['page'];

/** As `startHousehold`; some destinations have a place, one has no country, one is a warning. */
export async function startPlaced(): Promise<DetectionLab> {
  const lab = await startHousehold();
  // One address begins as the other: a filter that only contains it would show both.
  lab.contact('203.0.113.9');
  lab.contact('203.0.113.90');
  lab.routers.home.flow({ src: '192.168.100.33', dst: '198.51.100.130', dport: 53, proto: 'udp' });
  await lab.poll();
  await lab.list('203.0.113.90', { level: 'warn' });
  await lab.stop();
  await change(lab.dataDir, [
    "UPDATE destination SET lat = 52.52, lon = 13.41, city = 'Berlin' WHERE address = '198.51.100.100'",
    "UPDATE destination SET lat = 35.68, lon = 139.77, city = 'Tokyo' WHERE address = '198.51.100.200'",
    "UPDATE destination SET country = 'SG' WHERE address = '203.0.113.80'",
  ]);
  await lab.restart();
  return lab;
}

/** Changes what is stored, past every check; the hub must not run. */
export async function change(dataDir: string, statements: readonly string[]): Promise<void> {
  const db = new Db(path.join(dataDir, 'monitor.db'));
  await db.write((writer) => {
    for (const sql of [...statements, 'INSERT INTO flow_change (flows, total) VALUES (NULL, 0)']) {
      writer.prepare(sql).run();
    }
  });
  await db.close();
}

/** Each number that leads into the log, with what the log has there. */
export async function doorsOf(page: Page, lab: Pick<DetectionLab, 'as' | 'clock' | 'url'>) {
  const links = await page.locator('main a[href*="/connections"]').all();
  const read = links.map(async (link) => {
    const [text, href] = await Promise.all([link.textContent(), link.getAttribute('href')]);
    return { text: String(text), query: new URL(String(href), lab.url).searchParams };
  });
  const numbers = (await Promise.all(read)).filter(({ text }) => /^[\d,]+( connections?)?$/.test(text));
  const now = lab.clock.now();
  return Promise.all(
    numbers.map(async ({ text, query }) => {
      if (!query.has('from')) {
        query.set('from', String(now - hours(query.get('range')) * 3_600_000));
        query.set('to', String(now));
      }
      query.delete('range');
      query.set('limit', '0');
      const { body } = await lab.as.raw({ method: 'GET', path: `/api/connections?${query}` });
      const { total } = body as { total: number };
      return { query: String(query), shown: Number(text.replace(/\D/g, '')), total };
    }),
  );
}

const hours = (range: string | null) => ({ '1h': 1, '6h': 6, '7d': 168, '14d': 336 })[range ?? ''] ?? 24;

/** Waits until a picture is there; the graph moves no more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.map-table tbody tr').first().waitFor();
  await page.locator('.map [aria-busy="true"], .map .note').first().waitFor({ state: 'detached' });
}

/** A point of the canvas within something of a colour, in pixels of the page; null where there is none. */
export async function pixelOf(page: Page, colour: string): Promise<{ x: number; y: number } | null> {
  return page.locator('canvas').evaluate(findPixel, colour);
}

interface Pixels {
  width: number;
  height: number;
  clientWidth: number;
  getContext(kind: '2d'): {
    drawImage(from: unknown, x: number, y: number): void;
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
  };
}

/** Runs in the page. It reads a copy: a canvas that is read often is drawn more slowly, of which the browser warns. */
function findPixel(element: unknown, hex: string): { x: number; y: number } | null {
  const { width, height, clientWidth } = element as Pixels;
  const { document } = globalThis as never as { document: { createElement(name: string): Pixels } };
  const copy = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
  copy.drawImage(element, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  const wanted = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const isAt = (x: number, y: number) => wanted.every((part, at) => data[(y * width + x) * 4 + at] === part);
  for (let y = 4; y < height - 4; y += 1) {
    for (let x = 4; x < width - 4; x += 1) {
      // Within a shape, not at its smoothed edge.
      if (isAt(x, y) && isAt(x + 3, y + 3) && isAt(x - 3, y - 3)) {
        return { x: (x * clientWidth) / width, y: (y * clientWidth) / width };
      }
    }
  }
  return null;
}
