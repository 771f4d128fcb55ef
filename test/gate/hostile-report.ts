// Reports of any outcome whose every text is hostile to the formats that show them.
import fc from 'fast-check';
import type { Finding } from '#gate/check.ts';
import { checkDescriptions } from '#gate/checks.ts';
import { createReport, type Report } from '#gate/report.ts';
import { facts } from './passing-report.ts';

const pieces = [
  ...[
    ']]>',
    '<script>',
    '&amp;',
    '<!--',
    '"',
    "'",
    '::error title=x::y',
    '::',
    '##[error]',
    '%0A',
    ',',
    '\n',
    '\r',
    '\t',
  ],
  ...['|', '\\', '\\|', '`', '[x](https://example.net)', '![](x)', 'www.example.net', '@all', '$x$', '*', '#', '~~'],
  ...['\u0000', '\u001b[31m', '\u0085', '\u2028', '\ufffe', '\ud800', '\u202e', '\u{1f642}'],
];

const hostileText = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 8 })
    .map((some) => some.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

const verdict = fc.record({
  outcome: fc.constantFrom<Finding['outcome']>('pass', 'not-required', 'fail', 'untestable'),
  because: hostileText,
});

export const hostileReport: fc.Arbitrary<Report> = fc
  .tuple(fc.array(verdict, { minLength: checkDescriptions.length, maxLength: checkDescriptions.length }), hostileText)
  .map(([verdicts, text]) => {
    const findings = checkDescriptions.map(({ id, category }, index) => {
      const { outcome, because } = verdicts[index] ?? { outcome: 'pass', because: '' };
      return { id, category, outcome, because: outcome === 'pass' ? null : because };
    });
    const items = facts.evidence.items.map((item) => ({ ...item, by: text }));
    const about = { ...facts, endpoint: text, issuer: text, evidence: { ...facts.evidence, items } };
    return createReport(
      checkDescriptions.map(({ id }) => id),
      findings,
      about,
    );
  });
