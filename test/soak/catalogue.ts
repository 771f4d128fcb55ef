// Every fault of the soak by its name: whom it befalls, how long, and what it is. What it does is in `faults/`.

/** What a fault befalls. Faults of one subject never overlap: what is true of it would not be known. */
export const subjects = [
  'vendor_a',
  'vendor_b',
  'feeds',
  'chat',
  'issuer',
  'ai',
  'mesh',
  'hub',
  'mcp',
  'clients',
] as const;
export type Subject = (typeof subjects)[number];

export interface FaultKind {
  subjects: readonly Subject[];
  /** How long it lasts, milliseconds: any length between these; of what is over at once both are 0. */
  lastsMs: readonly [least: number, most: number];
  /** The subject is left alone for so long after it: what is promised of recovery is judged then. */
  restMs: number;
  /** How often it is drawn, against the others of its subject. */
  weight: number;
  /** It ends the hub's process, or the database under it: not in the middle of a run, where memory is judged. */
  isRestart?: boolean;
  says: string;
}

const routers = ['vendor_a', 'vendor_b'] as const;

export const faultKinds = {
  reboot: {
    ...{ subjects: routers, lastsMs: [50_000, 80_000], restMs: 130_000, weight: 3 },
    says: 'the router loses its sessions and refuses connections',
  },
  hang: {
    ...{ subjects: routers, lastsMs: [60_000, 80_000], restMs: 130_000, weight: 2 },
    says: 'the router reads nothing and sends nothing, and closes nothing',
  },
  'host-key': {
    ...{ subjects: routers, lastsMs: [50_000, 70_000], restMs: 120_000, weight: 2 },
    says: 'another host key answers, then the old one again',
  },
  kicked: {
    ...{ subjects: routers, lastsMs: [0, 0], restMs: 60_000, weight: 3 },
    says: 'an administrator of the router ends the session of the hub in the middle of an answer',
  },
  'feeds-down': {
    ...{ subjects: ['feeds'], lastsMs: [40_000, 120_000], restMs: 20_000, weight: 1 },
    says: 'the publishers answer 500',
  },
  'chat-down': {
    ...{ subjects: ['chat'], lastsMs: [25_000, 70_000], restMs: 35_000, weight: 2 },
    says: 'the workspace answers 500',
  },
  'chat-lost-answers': {
    ...{ subjects: ['chat'], lastsMs: [10_000, 30_000], restMs: 35_000, weight: 1 },
    says: 'the workspace does what it is asked, and its answers are lost',
  },
  'issuer-down': {
    ...{ subjects: ['issuer'], lastsMs: [25_000, 80_000], restMs: 30_000, weight: 1 },
    says: 'the issuer has no keys and an HTML page instead of its metadata',
  },
  'ai-down': {
    ...{ subjects: ['ai'], lastsMs: [25_000, 80_000], restMs: 35_000, weight: 1 },
    says: 'the model answers 500',
  },
  'mesh-down': {
    ...{ subjects: ['mesh'], lastsMs: [80_000, 120_000], restMs: 85_000, weight: 1 },
    says: 'the access point answers 500',
  },
  'kill-9': {
    ...{ subjects: ['hub'], lastsMs: [500, 8000], restMs: 25_000, weight: 5, isRestart: true },
    says: 'the hub is killed, and started again after a while',
  },
  restore: {
    ...{ subjects: ['hub'], lastsMs: [8000, 15_000], restMs: 25_000, weight: 2, isRestart: true },
    says: 'a backup is made, and restored while everything goes on',
  },
  'disk-full': {
    ...{ subjects: ['hub'], lastsMs: [15_000, 40_000], restMs: 60_000, weight: 2 },
    says: 'the disk of the data folder has 64 KiB left',
  },
  'clock-jump': {
    ...{ subjects: ['hub'], lastsMs: [20_000, 90_000], restMs: 30_000, weight: 3 },
    says: 'the clock of the hub is up to two hours ahead or behind, and is put right again',
  },
  pause: {
    ...{ subjects: ['hub'], lastsMs: [2000, 7000], restMs: 25_000, weight: 2 },
    says: 'the machine stops the hub for a while (SIGSTOP)',
  },
  'mcp-kill-9': {
    ...{ subjects: ['mcp'], lastsMs: [500, 5000], restMs: 50_000, weight: 1 },
    says: 'the MCP server is killed, and started again after a while',
  },
  'leaving-clients': {
    ...{ subjects: ['clients'], lastsMs: [0, 0], restMs: 20_000, weight: 3 },
    says: 'forty clients send a whole request and reset their connections at different moments',
  },
  'slow-readers': {
    ...{ subjects: ['clients'], lastsMs: [10_000, 30_000], restMs: 10_000, weight: 2 },
    says: 'eight clients open live updates and the list of connections, and stop reading',
  },
  'agents-lose-answers': {
    ...{ subjects: ['clients'], lastsMs: [5000, 15_000], restMs: 10_000, weight: 2 },
    says: 'the connections of Agents break before the ACK, and the batches come again',
  },
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof faultKinds;
export const faultNames = Object.keys(faultKinds) as FaultName[];

export function findKind(name: FaultName): FaultKind {
  return faultKinds[name];
}
