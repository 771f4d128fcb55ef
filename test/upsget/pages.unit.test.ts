// Pages of the web UI are read as the fixtures' expected.json says; hostile and cut ones are read as far as they go.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeEntities } from '#upsget/entities.ts';
import { items, toReadings } from '#upsget/items.ts';
import { type Page, parsePage } from '#upsget/page.ts';
import { findLoginField, isLoginPage, isStatusPage, isTakenPage, type loginFields } from '#upsget/page-kind.ts';
import { root } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

const versionsFolder = path.join(root, 'fixtures/ups');
const versions = readdirSync(versionsFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** What a page holds, in the words of expected.json. */
function described(page: Page): Record<string, unknown> {
  const found = toReadings(page, false);
  const values = Object.fromEntries(found.map(({ item, text }) => [item.name, text]));
  if (isLoginPage(page)) {
    const field = (name: keyof typeof loginFields) => page.fields.get(findLoginField(page, name)) ?? '';
    const [formtoken, formtokenid, login] = [field('token'), field('tokenId'), field('button')];
    return { kind: 'logon', lang: page.lang, alreadyLoggedOn: isTakenPage(page), formtoken, formtokenid, login };
  }
  const missing = items.map(({ name }) => name).filter((name) => !(name in values));
  const kind = isStatusPage(page) ? 'status' : 'unknown';
  return { kind, lang: page.lang, values, missing };
}

describe.each(versions.map(({ name }) => name))('version %s', (version) => {
  const folder = path.join(versionsFolder, version);
  const expected = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Record<string, unknown>;
  const pages = readdirSync(folder).filter((name) => name.endsWith('.html'));

  verifies('ups.web.extract ups.run.by-element-id ups.target.1-4-0', 'every page of the fixtures', () => {
    expect(pages.toSorted()).toEqual(Object.keys(expected).toSorted());
    for (const name of pages) {
      const { note: _note, ...wanted } = expected[name] as Record<string, unknown>;
      const found = described(parsePage(readFileSync(path.join(folder, name), 'utf8')));
      expect
        .soft(found, name)
        .toEqual(
          wanted.kind === 'logon' || 'missing' in wanted
            ? wanted
            : { ...wanted, missing: found.kind === 'status' ? [] : found.missing },
        );
    }
  });
});

describe('a page', () => {
  const status = (html: string) => parsePage(html).values.get('value_DeviceStatus');

  test.each([
    ['a comment before it', '<!-- <b id="value_DeviceStatus">no</b> --><b id="value_DeviceStatus">yes</b>'],
    [
      'a script before it',
      '<script>x = \'<b id="value_DeviceStatus">no</b>\'</script><b id="value_DeviceStatus">yes</b>',
    ],
    [
      'the id in another attribute',
      '<b data-id="value_DeviceStatus" title="id=value_DeviceStatus">no</b><b id=value_DeviceStatus>yes</b>',
    ],
    ['a longer id before it', '<b id="value_DeviceStatus2">no</b><b id="value_DeviceStatus">yes</b>'],
    ['the id twice', '<b id="value_DeviceStatus">yes</b><b id="value_DeviceStatus">no</b>'],
    ['> in an attribute', '<b title="a > b" id="value_DeviceStatus">yes</b>'],
    ['the attribute twice', '<b id="value_DeviceStatus" id="other">yes</b>'],
    ['spaces around =', "<B  ID = 'value_DeviceStatus' >yes</B>"],
    ['nested tags and blanks', '<div id="value_DeviceStatus"> <b><i>\n yes </i></b>&nbsp;<br></div><b>no</b>'],
    ['the same tag inside', '<div id="value_DeviceStatus"><div>yes</div></div>no'],
    ['no end tag in a table', '<table><tr><td id="value_DeviceStatus">yes<td>no</table>'],
    ['an end tag of its parent', '<p><b id="value_DeviceStatus">yes</p>no'],
    ['a stray end tag', '<b id="value_DeviceStatus">y</i>es</b>no'],
    ['stray =', '<b = == id="value_DeviceStatus" =>yes</b>'],
    ['a stray <', '<b id="value_DeviceStatus">yes</b> 1 < 2 <'],
    ['an unclosed quote at the end', '<b id="value_DeviceStatus">yes</b><i class="'],
    ['an empty comment before it', '<!--><b id="value_DeviceStatus">yes</b><!-- -->'],
    ['an empty comment of another form before it', '<!---><b id="value_DeviceStatus">yes</b><!-- -->'],
    ['a comment that ends with --!>', '<!-- no --!><b id="value_DeviceStatus">yes</b><!-- -->'],
    ['a comment with > after a bang', '<!--!> <b id="value_DeviceStatus">no</b> --><b id="value_DeviceStatus">yes</b>'],
    ['invisible characters around it', '<b id="value_DeviceStatus">\u200b\u2060 &#8203;yes\u200e&shy;\ufeff </b>'],
  ])('with %s', (_what, html) => {
    expect(status(html)).toBe('yes');
  });

  test.each([
    ['xml:lang alone', '<html xml:lang="ja">', 'ja'],
    ['lang before xml:lang', '<html xml:lang="ja" lang="en">', 'en'],
    ['an empty lang and xml:lang', '<html lang="" xml:lang="ja">', 'ja'],
    ['invisible characters around it', '<html lang="\u200bja ">', 'ja'],
    ['none', '<html>', null],
  ])('says its language: %s', (_what, html, lang) => {
    expect(parsePage(html).lang).toBe(lang);
  });

  test('with two fields of a name: the first counts, also when it is empty', () => {
    const { fields } = parsePage(
      '<input name=formtoken value=first><button name=login></button><input name=formtoken value=second><input name=login value=no>',
    );
    expect([...fields]).toEqual([
      ['formtoken', 'first'],
      ['login', ''],
    ]);
  });

  test('cut in a value keeps what came', () => {
    expect(status('<b id="value_DeviceStatus">On Li')).toBe('On Li');
    expect(status('<b id="value_DeviceStatus')).toBeUndefined();
    expect(status('<!-- <b id="value_DeviceStatus">On Line')).toBeUndefined();
  });

  test('with a value longer than any is read without it', () => {
    expect(status(`<b id="value_DeviceStatus">${'x'.repeat(2000)}</b>`)).toBeUndefined();
  });

  test.each([
    ['tags that nothing closes', '<div>'.repeat(200_000)],
    ['end tags that nothing opened', `${'<a>'.repeat(100_000)}${'</b>'.repeat(100_000)}`],
    ['values in values', Array.from({ length: 50_000 }, (_, at) => `<div id="value_${at}">1`).join('')],
    ['blanks and = in a tag', `<a ${' '.repeat(200_000)}${' ='.repeat(100_000)}`],
    ['quotes that nothing closes', `<a ${'x="y" z=\''.repeat(50_000)}`],
    ['comments in comments', '<!--'.repeat(200_000)],
    ['empty comments', '<!--><!--->'.repeat(100_000)],
    ['dashes in a comment', `<!--${'-'.repeat(300_000)}`],
    ['invisible characters', `<b id="value_Load">x${'\u200b'.repeat(300_000)}`],
    ['ampersands', `<b>${'&'.repeat(300_000)}</b>`],
  ])('of %s comes to an end', (_what, html) => {
    expect(parsePage(`${html}<b id="value_DeviceStatus">x</b>`).ids.size).toBeGreaterThanOrEqual(0);
  });

  test('of any text is read without an error', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '</',
      '"',
      "'",
      '=',
      ' ',
      'id',
      'value_DeviceStatus',
      '<!--',
      '-->',
      '<script',
      '&#',
      'x',
    );
    fc.assert(fc.property(fc.array(fc.oneof(piece, fc.string())), (parts) => void parsePage(parts.join(''))));
  });
});

test.each([
  ['&lt;b&gt; &amp;amp; &quot;', '<b> &amp; "'],
  ['En l&iacute;nea, 28&deg;C', 'En línea, 28°C'],
  ['&#49;9&#x2E;0&#x30AA;', '19.0オ'],
  ['&ndash;&mdash;&hellip; &apos;', "–—… '"],
  ['&lsquo;&rsquo;&ldquo;&rdquo;&bull;&euro;&trade;', '‘’“”•€™'],
  ['&nbsp;&yen;&frac12;&Agrave;&szlig;&yuml;', '\u00a0¥½Àßÿ'],
  ['&AMP; &Eacute;&eacute &toString;', '&AMP; Éé &toString;'],
  ['a & b &unknown; &#xD800; &#x110000; &#0;', 'a & b &unknown; \ufffd \ufffd \ufffd'],
])('character references: %s', (text, decoded) => {
  expect(decodeEntities(text)).toBe(decoded);
});
