// How the web UI is built: no inline script or style, nothing from another origin (decision 027).
import path from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { createFormSchemas } from './scripts/form-schemas.ts';
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

/** The fields of the forms of the settings. */
function forms(): Plugin {
  const name = 'virtual:forms';
  return {
    name: 'forms',
    resolveId: (id) => (id === name ? name : null),
    load: (id) => (id === name ? `export const forms = ${JSON.stringify(createFormSchemas())};` : null),
  };
}

/** What the elements of a file are calls of. */
function elements(): Plugin {
  return {
    name: 'elements',
    enforce: 'pre',
    transform: (code, id) => (id.endsWith('.tsx') ? `import { Fragment, h } from 'preact';${code}` : null),
  };
}

export default defineConfig({
  root: path.join(root, 'src/web'),
  // Relative addresses are right below any path of a proxy; the hub changes those of pages that lie deeper.
  base: './',
  // Elements as calls of `h` compress better than those of the newer runtime.
  oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
  plugins: [worldMap(), forms(), elements()],
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    outDir: path.join(root, 'dist/web'),
    emptyOutDir: true,
    // Of the page: what places share is there before they ask for it.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostType }) => (hostType === 'html' ? files : []),
    },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What is loaded together is one file: many small ones compress worse.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: /node_modules|preload-helper|src\/web\/(?:api|frame|overview|parts(?!\/message)|state)\/|clock\.ts|devices\/names|text\/(?:en|format|plural|text|(?:chart|frame|hub)\/(?:en|words))/,
              priority: 5,
            },
            {
              name: 'ai',
              test: /src\/web\/ai\/|text\/ai\/(?:en|words)/,
              priority: 4,
              includeDependenciesRecursively: false,
            },
            {
              name: 'log',
              test: /src\/web\/(?:alerts|connections|devices|search)\/|text\/(?:alerts|device|log)\/(?:en|words)/,
              priority: 3,
            },
            {
              name: 'settings',
              test: /virtual:forms|src\/web\/settings\/|text\/(?:assistant|restore|settings)\/(?:en|words)/,
              priority: 2,
              includeDependenciesRecursively: false,
            },
            // Japanese of the first view, and of all other places.
            { name: 'ja', test: /text\/(?:(?:chart|frame)\/)?ja/, priority: 1 },
            { name: 'ja-places', test: /text\/\w+\/ja/, priority: 0 },
          ],
        },
      },
    },
  },
});
