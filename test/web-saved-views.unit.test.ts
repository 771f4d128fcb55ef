// Saved views of the log as text, which a person may have edited.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addView,
  mostNameChars,
  mostViews,
  parseViews,
  type SavedView,
  toViewQuery,
} from '../src/web/connections/saved-views.ts';

const view = (name: string, query = 'range=24h'): SavedView => ({ name, query });

test('what is saved is read again, whatever the name; the name that is saved again is replaced', () => {
  const names = fc.uniqueArray(
    fc.string({ minLength: 1, maxLength: mostNameChars }).filter((name) => name.trim() === name),
    { minLength: 1, maxLength: mostViews },
  );
  fc.assert(
    fc.property(names, (all) => {
      const views = all.reduce<SavedView[]>((kept, name) => addView(kept, view(name)) ?? kept, []);
      expect(parseViews(JSON.stringify(views))).toEqual({ views, unread: 0 });
      expect(views.map(({ name }) => name).sort()).toEqual([...all].sort());
      const replaced = addView(views, view(all[0] ?? '', 'range=1h')) ?? [];
      expect(replaced).toHaveLength(views.length);
      expect(replaced.filter(({ query }) => query === 'range=1h')).toEqual([view(all[0] ?? '', 'range=1h')]);
    }),
  );
});

test('text that is no view is counted and left out, and the others are read', () => {
  const broken = ['a', null, 7, { name: 'x' }, { name: '', query: '' }, { name: ' x', query: '' }];
  const long = [
    { name: 'n'.repeat(mostNameChars + 1), query: '' },
    { name: 'q', query: 'q'.repeat(4001) },
  ];
  expect(parseViews(JSON.stringify([...broken, view('good'), ...long]))).toEqual({ views: [view('good')], unread: 8 });
  expect(parseViews('')).toEqual({ views: [], unread: 0 });
  expect(parseViews('[')).toEqual({ views: [], unread: 1 });
  expect(parseViews('{"name":"alone","query":""}')).toEqual({ views: [view('alone', '')], unread: 0 });
  fc.assert(fc.property(fc.string(), (text) => void parseViews(text)));
});

test('one more view than the most is refused, and so is a query that is too long', () => {
  const full = Array.from({ length: mostViews }, (_, index) => view(`view ${index}`));
  expect(addView(full, view('one more'))).toBeNull();
  expect(addView(full.slice(1), view('one more'))).toHaveLength(mostViews);
  expect(addView(full, view('view 3', 'range=1h'))).toHaveLength(mostViews);
  expect(addView([], view('long', 'q'.repeat(4001)))).toBeNull();
});

test('a view keeps filters, order, columns and period, not what is open over it nor its own name', () => {
  const query = new URLSearchParams('view=old&sort=dst&fSrc=a&fSrc=b&open=7&panel=search&back=7d&range=1h');
  expect(toViewQuery(query, { range: '6h', columns: 'src,dst' })).toBe(
    'columns=src%2Cdst&fSrc=a&fSrc=b&range=6h&sort=dst',
  );
});
