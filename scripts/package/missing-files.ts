// Whether everything that the programs of a built package name lies in it: modules, threads, migrations, data.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findStrings } from './javascript.ts';

const relative = /^\.{1,2}\/[\w./-]+\.(?:js|json|sql|zst)$/;
const imported = /^#[\w./-]+\.js$/;

/** A line for each name that leads nowhere. */
export function missingFiles(folder: string): string[] {
  const { imports } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    imports: Record<string, string>;
  };
  const areas = Object.entries(imports).map(
    ([name, place]) => [name.replace(/\*$/, ''), place.replace(/\*$/, '')] as const,
  );
  return globSync('{bin,src,gate,simulators}/**/*.js', { cwd: folder }).flatMap((file) =>
    findStrings(readFileSync(path.join(folder, file), 'utf8')).flatMap(({ value }) => {
      const target = relative.test(value) ? path.join(path.dirname(file), value) : areaFile(value);
      return target === null || existsSync(path.join(folder, target))
        ? []
        : [`${file} names ${value}, which is not in the package`];
    }),
  );

  function areaFile(value: string): string | null {
    const [name = '', place = ''] = areas.find(([start]) => value.startsWith(start)) ?? [];
    return imported.test(value) ? path.join(place, value.slice(name.length)) : null;
  }
}
