// `npm run build:web`: builds the web UI into dist/web, and compresses its files once, so that no request has to.
// `--if-missing`: only where it was not built since its sources changed. `--out DIR`: into another folder.
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './sources.ts';

const { values } = parseArgs({ options: { 'if-missing': { type: 'boolean' }, out: { type: 'string' } } });
const folder = path.resolve(values.out ?? path.join(root, 'dist/web'));

if (!values['if-missing'] || isOutdated()) {
  await build({ configFile: path.join(root, 'vite.config.ts'), logLevel: 'warn', build: { outDir: folder } });
  for (const file of globSync('assets/*.{js,css,svg,json}', { cwd: folder })) {
    const text = readFileSync(path.join(folder, file));
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(path.join(folder, `${file}.br`), brotliCompressSync(text, { params: quality }));
    writeFileSync(path.join(folder, `${file}.gz`), gzipSync(text, { level: 9 }));
  }
}

function isOutdated(): boolean {
  const page = statSync(path.join(folder, 'index.html'), { throwIfNoEntry: false });
  const sources = globSync(
    [
      'src/web/**/*.{ts,tsx,css,html,svg}',
      'src/contract/*.ts',
      'scripts/{form-schemas,world-map}.ts',
      'vite.config.ts',
      'package-lock.json',
    ],
    { cwd: root },
  );
  return !page || sources.some((file) => statSync(path.join(root, file)).mtimeMs > page.mtimeMs);
}
