// Areas of the product whose tests are tried by mutation, and the tests that may see a change there.

export interface Area {
  /** Patterns of the files that are changed. */
  mutate: string[];
  /** Patterns of the tests that are run, without `.test.ts`. */
  tests: string[];
  /** Each test file in a process of its own, where files cannot share one. */
  isAlone?: true;
}

/** The least score in per cent, killed of those that are not equivalent; `npm run mutation` ends with 1 below it. */
export const leastScore = 85;

export const areas: Record<string, Area> = {
  kernel: {
    mutate: ['src/kernel/**/*.ts'],
    tests: [
      'test/kernel/*',
      'test/rest/{common,events*,hostile*,broken*,rate*,stop,messages}*',
      'test/hub/readers/*',
      'test/hub/start/env*',
    ],
  },
  auth: {
    mutate: ['src/hub/auth/**/*.ts'],
    tests: [
      'test/hub/auth/*',
      'test/rest/{auth,oidc,rate,events}*',
      'test/hub/start/reset*',
      'test/e2e/hub-credentials*',
    ],
  },
  threat: { mutate: ['src/hub/threat/**/*.ts'], tests: ['test/hub/threat/*', 'test/rest/{manual,offline}*'] },
  detection: {
    mutate: ['src/hub/detection/**/*.ts'],
    tests: ['test/hub/detection/*', 'test/rest/{detection,new-devices,chat}*'],
  },
  beacons: { mutate: ['src/hub/beacons/**/*.ts'], tests: ['test/hub/beacons/*', 'test/rest/beacons*'] },
  devices: {
    mutate: ['src/hub/devices/**/*.ts'],
    tests: ['test/hub/devices/*', 'test/rest/{devices,new-devices,mesh}*'],
  },
  notes: {
    mutate: ['src/hub/notes/**/*.ts'],
    tests: ['test/rest/{notes,saved,devices,full-disk}*', 'test/mcp/tools-devices*'],
  },
  routers: {
    mutate: ['src/hub/routers/**/*.ts'],
    tests: ['test/hub/routers/*', 'test/rest/routers*', 'test/e2e/router-endless*'],
  },
  mcp: { mutate: ['src/mcp/**/*.ts'], tests: ['test/mcp/*', 'test/e2e/mcp-command*'] },
  upsget: { mutate: ['src/upsget/**/*.ts'], tests: ['test/upsget/*'], isAlone: true },
  gate: {
    mutate: ['gate/**/*.ts', '!gate/mistakes/**'],
    tests: ['test/gate/*', 'test/e2e/gate-{cli,ready,collectors}*'],
  },
};
