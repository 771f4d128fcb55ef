// Areas of the product whose tests are tried by mutation, and the tests that may see a change there.
import path from 'node:path';

export interface Area {
  /** Patterns of the files that are changed. */
  mutate: string[];
  /** Patterns of the tests that are run, without `.test.ts`. */
  tests: string[];
  /** Each test file in a process of its own, where files cannot share one. */
  isAlone?: true;
  /** Seconds that a test may take before the change is taken for one that hangs it; 20 when absent. */
  patienceS?: number;
}

/** The least score in per cent, killed of those that are not equivalent; `npm run mutation` ends with 1 below it. */
export const leastScore = 85;

export const areas: Record<string, Area> = {
  kernel: {
    mutate: ['src/kernel/**/*.ts', '!src/kernel/{sqlite,files,http}/**', 'src/{health,main,usage}.ts'],
    tests: [
      'test/kernel/**/*',
      'test/rest/{stop,messages}*',
      'test/hub/base/readers/*',
      'test/hub/start/{env,health}*',
      'test/e2e/{hub-cli,watchdog}*',
    ],
    patienceS: 60,
  },
  'kernel-http': {
    mutate: ['src/kernel/http/**/*.ts'],
    tests: [
      'test/kernel/**/*',
      'test/{contract-examples*,openapi-lint}',
      'test/rest/{agent-ingest,backup-crafted,broken,common,events,hostile,messages,openapi,rate,stop}*',
    ],
    patienceS: 60,
  },
  'kernel-files': {
    mutate: ['src/kernel/{sqlite,files}/**/*.ts'],
    tests: ['test/kernel/**/*', 'test/hub/base/storage/*', 'test/hub/start/env*'],
    patienceS: 60,
  },
  contract: {
    mutate: ['src/contract/**/*.ts'],
    tests: ['test/contract/*', 'test/{access-matrix,contract-examples*,openapi-lint,pins}'],
  },
  capture: {
    mutate: ['src/capture/**/*.ts', '!src/capture/*period.ts'],
    tests: ['test/capture/*', 'test/hub/collect/routers/capture*'],
  },
  hub: {
    mutate: ['src/hub/*.ts', 'src/hub/start/**/*.ts', 'src/hub/base/*.ts', '!src/hub/base/clickhouse-rows.ts'],
    tests: [
      'test/hub/start/*',
      'test/hub/start/config/*',
      'test/rest/{health,metrics,diagnostics,stop,security-headers,web-serving,common,rate,backup-whole}*',
      'test/e2e/hub-cli*',
    ],
    patienceS: 60,
  },
  auth: {
    mutate: ['src/hub/base/auth/**/*.ts'],
    tests: [
      'test/hub/base/auth/*',
      'test/rest/{auth,oidc,rate,events}*',
      'test/hub/start/reset*',
      'test/e2e/hub-credentials*',
    ],
  },
  live: { mutate: ['src/hub/notify/live/**/*.ts'], tests: ['test/hub/notify/live/*', 'test/rest/events*'] },
  readers: { mutate: ['src/hub/base/readers/**/*.ts'], tests: ['test/hub/base/readers/*'] },
  settings: {
    mutate: ['src/hub/base/settings/**/*.ts'],
    tests: ['test/hub/base/settings/*', 'test/rest/{config,saved,full-disk,auth-security}*', 'test/hub/start/*'],
  },
  clock: { mutate: ['src/hub/base/clock/**/*.ts'], tests: ['test/hub/base/clock/*', 'test/rest/clock*'] },
  chat: {
    mutate: ['src/hub/notify/*.ts', 'src/hub/notify/{chat,destinations,assistants}/**/*.ts'],
    tests: ['test/hub/notify/{chat,destinations}/*', 'test/rest/{chat,destinations,mcp-check}*'],
  },
  threat: {
    mutate: ['src/hub/identify/threat/**/*.ts'],
    tests: ['test/hub/identify/threat/*', 'test/rest/{block-list,manual,offline}*'],
  },
  detection: {
    mutate: ['src/hub/identify/detection/**/*.ts', 'src/hub/analyse/detection-preview/**/*.ts'],
    tests: ['test/hub/identify/detection/*', 'test/hub/base/clock/times*', 'test/rest/{alert,detection,new-devices}*'],
    patienceS: 60,
  },
  enrichment: {
    mutate: ['src/hub/identify/enrichment/**/*.ts'],
    tests: ['test/hub/identify/enrichment/*', 'test/rest/{connections-knowledge,offline}*'],
    // They open the data that comes with the program, which takes more than 20 s on a busy machine.
    patienceS: 60,
  },
  beacons: {
    mutate: ['src/hub/analyse/beacons/**/*.ts'],
    tests: ['test/hub/analyse/beacons/*', 'test/hub/base/clock/times*', 'test/rest/beacons*'],
    patienceS: 60,
  },
  devices: {
    mutate: ['src/hub/identify/devices/**/*.ts'],
    tests: ['test/hub/identify/devices/*', 'test/rest/{devices,new-devices,mesh}*'],
  },
  mesh: {
    mutate: ['src/hub/collect/mesh/**/*.ts'],
    tests: ['test/hub/collect/mesh/*', 'test/rest/{mesh,routers-legacy}*'],
  },
  notes: {
    mutate: ['src/hub/identify/notes/**/*.ts', 'src/hub/analyse/note-drafts/*.ts'],
    tests: [
      'test/hub/identify/notes/*',
      'test/rest/{notes,note-drafts,saved,devices,full-disk}*',
      'test/mcp/tools-devices*',
    ],
  },
  'data-sources': {
    mutate: ['src/hub/collect/data-sources/**/*.ts'],
    tests: ['test/hub/collect/data-sources/*', 'test/rest/config-datasources*'],
  },
  coverage: {
    mutate: ['src/hub/record/coverage/**/*.ts'],
    tests: [
      'test/hub/record/coverage/*',
      'test/hub/base/clock/{decided,times}*',
      'test/hub/collect/routers/unseen.*',
      'test/rest/coverage*',
    ],
  },
  'connections-ask': {
    mutate: ['src/hub/record/connections/{query,detail}/**/*.ts', 'src/hub/record/connections/*.ts'],
    tests: [
      'test/hub/record/connections/{activity,announce,chain,compare,detail,export-rows,narrow,origins,pages,paths,uncertainty}*',
      'test/rest/connections-{filter,knowledge,list,model,reports}*',
      'test/hub/base/clock/times*',
    ],
  },
  'connections-summary': {
    mutate: ['src/hub/record/connections/summary/**/*.ts'],
    tests: [
      'test/hub/record/connections/{flow-places,keeper,kept-store,summary}*',
      'test/rest/connections-{summary,reports}*',
    ],
  },
  'connections-record': {
    mutate: ['src/hub/record/connections/{privacy,record,store,upkeep}/**/*.ts'],
    tests: [
      'test/hub/record/connections/{hour-pack,kept-store,privacy-counts,recorded,recorder,retention-status,size-limit,upkeep}*',
      'test/rest/{connections-packed,connections-retention,connections-summary-model,privacy,retention-size}*',
    ],
  },
  'connections-give': {
    mutate: ['src/hub/record/connections/{export,history,closed-hours}/**/*.ts'],
    tests: [
      'test/hub/record/connections/{closed,detail,export,history}*',
      'test/rest/connections-export*',
      'test/hub/start/export*',
    ],
  },
  routers: {
    mutate: ['src/hub/collect/routers/**/*.ts'],
    tests: ['test/hub/collect/routers/*', 'test/rest/routers*', 'test/e2e/router-endless*'],
    patienceS: 60,
  },
  agents: {
    mutate: ['src/hub/collect/agents/**/*.ts'],
    tests: ['test/hub/collect/agents/*', 'test/hub/base/clock/times*', 'test/rest/agent*'],
  },
  agent: {
    mutate: ['src/agent/**/*.ts'],
    tests: ['test/agent/*', 'test/agent/command/*'],
    isAlone: true,
    patienceS: 60,
  },
  storage: {
    mutate: ['src/hub/base/storage/**/*.ts'],
    tests: [
      'test/hub/base/storage/*',
      'test/rest/{backup,altered,damaged,connections-migration}*',
      'test/kernel/salvage*',
    ],
    patienceS: 60,
  },
  sink: {
    mutate: ['src/hub/record/sink/**/*.ts', 'src/hub/base/clickhouse-rows.ts'],
    tests: ['test/hub/record/sink/*', 'test/rest/sink*'],
    patienceS: 60,
  },
  insights: {
    mutate: ['src/hub/analyse/insights/**/*.ts'],
    tests: ['test/hub/analyse/insights/*', 'test/rest/{ai-facts,ai-preview}*'],
  },
  ai: {
    mutate: ['src/hub/analyse/ai/**/*.ts'],
    tests: ['test/hub/analyse/ai/*', 'test/hub/analyse/ai/*/*', 'test/rest/{ai,note-drafts}*'],
  },
  mcp: { mutate: ['src/mcp/**/*.ts'], tests: ['test/mcp/*', 'test/e2e/mcp-command*'] },
  upsget: { mutate: ['src/upsget/**/*.ts'], tests: ['test/upsget/*'], isAlone: true, patienceS: 90 },
  'simulators-router': {
    mutate: ['simulators/router/**/*.ts'],
    tests: [
      'test/simulators/{captured,control,faults,fidelity,hostile,openssh,printer,read-only,router,ssh,terminal,vendor,world}*',
    ],
  },
  'simulators-ups': { mutate: ['simulators/ups/**/*.ts'], tests: ['test/simulators/ups*'] },
  'simulators-oidc': { mutate: ['simulators/oidc/**/*.ts'], tests: ['test/simulators/oidc*'], patienceS: 60 },
  'simulators-ai': {
    mutate: ['simulators/ai/**/*.ts'],
    tests: ['test/simulators/ai*', 'test/hub/analyse/ai/provider-faults*'],
  },
  'simulators-scenario': {
    mutate: ['simulators/scenario/**/*.ts'],
    tests: ['test/simulators/scenario*', 'test/e2e/simulators-lab*'],
  },
  periods: {
    mutate: ['simulators/period/**/*.ts', 'src/hub/record/connections/period/*.ts', 'src/capture/*period.ts'],
    tests: ['test/simulators/period*', 'test/capture/*period*'],
  },
  'simulators-agent': { mutate: ['simulators/agent/**/*.ts'], tests: ['test/simulators/agent*'] },
  simulators: {
    mutate: [
      'simulators/{chat,clickhouse,dns,edge,feeds,home,lookup,mesh,mqtt,push,support,trapper}/**/*.ts',
      'simulators/*.ts',
    ],
    tests: ['test/simulators/*', 'test/hub/notify/destinations/webhook*', 'test/e2e/simulators*'],
  },
  gate: {
    mutate: ['gate/**/*.ts'],
    tests: ['test/gate/*', 'test/e2e/gate-{cli,ready,collectors}*'],
    patienceS: 60,
  },
};

/** Files of no area, with the reason. */
export const unmeasured: Record<string, string> = {
  'src/web/**': 'a browser runs the page from one build, in which no change can be switched on yet',
};

/** Names of the areas that change `file`, a path from the root of the repository with slashes. */
export function areasOf(file: string): string[] {
  return Object.entries(areas)
    .filter(([, { mutate }]) => matchesPatterns(file, mutate))
    .map(([name]) => name);
}

function matchesPatterns(file: string, patterns: readonly string[]): boolean {
  const isExcluded = patterns.some((pattern) => pattern.startsWith('!') && path.matchesGlob(file, pattern.slice(1)));
  return !isExcluded && patterns.some((pattern) => !pattern.startsWith('!') && path.matchesGlob(file, pattern));
}
