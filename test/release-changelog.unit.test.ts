// What release:check reads of CHANGELOG.md and the pins.
import { describe, expect, it } from 'vitest';
import { changelogFaults, parseSections, unnamedChanges } from '../scripts/release/changelog.ts';

const changelog = (unreleased: string, rest: string) => `# Changelog\n\n## [Unreleased]\n${unreleased}\n${rest}`;

describe('the changelog of a release', () => {
  const released = '## [1.2.0] - 2026-11-25\n\n### Added\n\n- A thing.\n\n## [1.1.0] - 2026-10-01\n\n- Older.\n';

  it('has the version with its date first, and nothing that is not released', () => {
    expect(changelogFaults(changelog('', released), '1.2.0')).toEqual([]);
    expect(parseSections(changelog('', released)).map(({ name, date }) => [name, date])).toEqual([
      ['Unreleased', undefined],
      ['1.2.0', '2026-11-25'],
      ['1.1.0', '2026-10-01'],
    ]);
  });

  it.each([
    [
      'entries of no release',
      changelog('\n- More.\n', released),
      /^CHANGELOG.md has entries that belong to no release/,
    ],
    ['another version', changelog('', released.replace('1.2.0', '1.3.0')), /is not "## \[1\.2\.0\] - DATE"/],
    ['no date', changelog('', released.replace(' - 2026-11-25', '')), /is not "## \[1\.2\.0\] - DATE"/],
    ['nothing said', changelog('', '## [1.2.0] - 2026-11-25\n'), /says nothing of 1\.2\.0/],
    ['no place for what comes', released, /entries that belong to no release/],
  ])('%s is refused', (_, text, reason) => {
    expect(changelogFaults(text, '1.2.0')).toEqual([expect.stringMatching(reason)]);
  });
});

describe('public names since the release before', () => {
  const pins = [
    {
      file: 'routes',
      before: 'GET    /api/a  open\nPOST   /api/b  admin\n',
      now: 'GET    /api/a  admin\nGET    /api/c  open\n',
    },
    { file: 'tools', before: 'one read\n  in  period\n', now: 'one read\n  in  period device\n' },
  ];

  it('are named, whether they came, went or changed', () => {
    expect(unnamedChanges(pins, '')).toEqual([
      'routes: GET /api/a changed, and CHANGELOG.md does not name it',
      'routes: POST /api/b is gone, and CHANGELOG.md does not name it',
      'routes: GET /api/c is new, and CHANGELOG.md does not name it',
      'tools: one changed, and CHANGELOG.md does not name it',
    ]);
    expect(unnamedChanges(pins, '`GET /api/a`, `POST /api/b`, `GET /api/c`; `one` takes a device')).toEqual([]);
  });

  it('that stay as they are need no word', () => {
    expect(unnamedChanges([{ file: 'env', before: 'A  "1"\n', now: 'A     "1"\n' }], '')).toEqual([]);
  });
});
