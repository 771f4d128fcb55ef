// How the web UI is built: no inline script or style, nothing from another origin (decision 027).
import path from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { createWorldMap } from './scripts/world-map.ts';

const root = import.meta.dirname;

/** The outlines of the world as a file of their own: they are data, not JavaScript. */
function worldMap(): Plugin {
  const name = 'virtual:world-map';
  return {
    name: 'world-map',
    resolveId: (id) => (id === name ? name : null),
    load(id) {
      if (id !== name) {
        return null;
      }
      const source = JSON.stringify(createWorldMap());
      const file = this.emitFile({ type: 'asset', name: 'world.json', source });
      return `export default import.meta.ROLLUP_FILE_URL_${file};`;
    },
  };
}

export default defineConfig({
  root: path.join(root, 'src/web'),
  // All pages lie one level deep, so that relative addresses are right below any path of a proxy.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [worldMap()],
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    outDir: path.join(root, 'dist/web'),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What is loaded together is one file: many small ones compress worse.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: /node_modules|src\/web\/(?:parts|state|api)\/|clock\.ts|text\/(?:en|format|text|plural|en-)/,
              priority: 2,
            },
            { name: 'settings', test: /src\/web\/settings\/|text\/settings\/en/, priority: 1 },
          ],
        },
      },
    },
  },
});
