// Computes what other settings and rules would have told: it raises the stored log again, with the given and with the saved settings.
import type { DetectionType } from '#contract/detection.ts';
import type { detectionPreviewRoutes } from '#contract/detection-preview.ts';
import { limits } from '#contract/limits.ts';
import type { FeedName } from '#contract/threat.ts';
import type { ClientReply } from '#kernel/http/route.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { readLabels } from '../../identify/detection/detection-log.ts';
import type { Replayed, ReplaySettings, replayCandidates } from '../../identify/detection/replay.ts';
import type { findProbableDevice } from '../../identify/devices/candidates.ts';
import type { isOnlyPublished } from '../../identify/enrichment/answers.ts';
import type { openVerdicts, ThreatSettings } from '../../identify/threat/stored-verdicts.ts';
import type { findFirstHour } from '../../record/connections/store/hour-rows.ts';
import { findListedFlows, type Hours, listCandidates, type Period, type Verdict } from './candidates.ts';

export interface PreviewSide extends ReplaySettings {
  cooldownMs: number;
  /** Null: the preview uses the verdicts of the log. */
  threat: ThreatSettings | null;
}

export interface DetectionPreviewParams extends Period {
  now: number;
  given: PreviewSide;
  saved: PreviewSide;
}

type Preview = ClientReply<typeof detectionPreviewRoutes.preview>;
type Change = Preview['changes'][number];

/** The kinds of the contract, repeated here because its module would load all schemas into the thread. */
const kinds: readonly DetectionType[] = ['threat', 'new_device', 'beacon', 'retro_match'];
const nowhere = { chat: false, history: false };

/** The functions with which the hub itself raises, judges and reads. */
export interface PreviewDeps {
  hours: Hours & { findFirstHour: typeof findFirstHour };
  findProbableDevice: typeof findProbableDevice;
  readLabels: typeof readLabels;
  replayCandidates: typeof replayCandidates;
  openVerdicts: typeof openVerdicts;
  isOnlyPublished: typeof isOnlyPublished;
}

export function createDetectionPreviewQueries(deps: PreviewDeps) {
  const openVerdict = (reader: Reader, { threat }: PreviewSide, now: number): Judging => {
    if (threat === null) {
      return { missing: [], verdict: (flow) => flow.threat };
    }
    const isObserved = (address: string, host: string) => !deps.isOnlyPublished(reader, address, host);
    const { judge, missing } = deps.openVerdicts(reader, threat, { now, isObserved });
    return { missing, verdict: ({ dst, dport, proto, host }) => judge({ dst, dport, proto, host }) };
  };
  return {
    /** Runs as if the hub had known nothing before `from`, with the names and lists of now. */
    detectionPreview(reader: Reader, { now, from, to, given, saved }: DetectionPreviewParams): Preview {
      const period = { from, to };
      const byGiven = openVerdict(reader, given, now);
      const bySaved = openVerdict(reader, saved, now);
      const { flows, coarseHours, truncated } = findListedFlows(
        reader,
        period,
        (flow) => byGiven.verdict(flow) !== null || bySaved.verdict(flow) !== null,
        deps.hours,
      );
      const replay = (side: PreviewSide, { verdict }: Judging) => {
        const facts = { flows, verdict, cooldownMs: side.cooldownMs, findProbable: deps.findProbableDevice };
        return deps.replayCandidates(reader, listCandidates(reader, period, facts), side, now);
      };
      const replayed = { given: replay(given, byGiven), saved: replay(saved, bySaved) };
      const changes = findChanges(replayed);
      const shown = changes.slice(0, limits.detectionPreviewRows);
      return {
        from,
        to,
        kinds: kinds.map((type) => ({
          type,
          given: countKind(replayed.given, type),
          saved: countKind(replayed.saved, type),
        })),
        changes: shown.map((one) => describeChange(one, deps.readLabels(reader, one.detected))),
        more: changes.length - shown.length,
        coverage: {
          logFrom: deps.hours.findFirstHour(reader),
          flows: flows.length,
          coarseHours,
          missingFeeds: byGiven.missing,
        },
        truncated,
      };
    },
  };
}

interface Judging {
  verdict: Verdict;
  /** Feeds that are switched on and of which the hub stores no document. */
  missing: FeedName[];
}

function countKind(replayed: readonly Replayed[], type: Change['type']) {
  const all = replayed.filter(({ detected }) => detected.type === type);
  return { chat: all.filter(({ chat }) => chat).length, history: all.filter(({ history }) => history).length };
}

interface Pair extends Pick<Replayed, 'detected'> {
  given: Change['given'];
  saved: Change['saved'];
}

/** Returns what the two settings send to different places, or raise at different times, the newest first. */
function findChanges({ given, saved }: { given: readonly Replayed[]; saved: readonly Replayed[] }): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const [side, replayed] of [
    ['given', given],
    ['saved', saved],
  ] as const) {
    for (const { detected, chat, history } of replayed) {
      const { type, src, dst, dport, at } = detected;
      const key = [type, src, dst, dport, toLevel(detected), at].join(' ');
      const pair = pairs.get(key) ?? { detected, given: nowhere, saved: nowhere };
      pairs.set(key, { ...pair, [side]: { chat, history } });
    }
  }
  return [...pairs.values()]
    .filter((one) => one.given.chat !== one.saved.chat || one.given.history !== one.saved.history)
    .sort((a, b) => b.detected.at - a.detected.at);
}

function toLevel({ type, threat }: Replayed['detected']): Change['level'] {
  return type === 'new_device' ? 'info' : threat?.confidence === 'high' ? 'danger' : 'warn';
}

function describeChange({ detected, given, saved }: Pair, labels: ReturnType<typeof readLabels>): Change {
  const { type, at, src, dst = null, dport = null, proto = null } = detected;
  const { srcDnsName, srcMdnsName, dstHost } = labels;
  const level = toLevel(detected);
  return { type, at, level, src, srcName: srcDnsName ?? srcMdnsName, dst, dstHost, dport, proto, given, saved };
}
