// Passes findings from followed logs to the names of destinations, to devices and to the connection log.
import type { Clock } from '#kernel/time/clock.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { Devices } from '../../identify/devices/devices.ts';
import type { EnrichmentFeature } from '../../identify/enrichment/feature.ts';
import type { Marks } from '../../record/connections/privacy/marks.ts';
import type { RecordBatch } from '../../record/connections/record/recorder.ts';
import type { Observation } from '../../record/connections/store/observation.ts';
import type { DataSourcesOptions } from './data-sources.ts';
import type { Finding, HostFinding, NameFinding, SessionFinding } from './findings.ts';

export interface ApplyFindingsOptions {
  clock: Clock;
  settings: SettingsDocument;
  enrichment: Pick<EnrichmentFeature, 'ready' | 'noteNames' | 'hostNames'>;
  devices: Pick<Devices, 'reportHosts'>;
  record: RecordBatch;
  marks: Marks;
}

export function createApplyFindings(options: ApplyFindingsOptions): DataSourcesOptions['onFindings'] {
  const { clock, settings, enrichment, devices, record, marks } = options;
  const applyHosts = async (hosts: readonly HostFinding[]) => {
    enrichment.hostNames.note(hosts);
    await enrichment.ready;
    await devices.reportHosts(hosts);
  };
  const recordSessions = async (sessions: readonly SessionFinding[]) => {
    const now = clock.now();
    const byRouter = Map.groupBy(sessions, ({ sender }) => findRouter(settings, sender));
    for (const [routerId, seen] of byRouter) {
      if (routerId !== null) {
        const observations = seen.map((session) => toObservation(session, now));
        await record({ routerId, kind: 'vendor_a', observations, now });
      }
    }
  };
  return async (_source, findings) => {
    const findMark = marks.open(null);
    const names = findings
      .filter(isKind<NameFinding>('name'))
      .filter(({ client }) => client === undefined || findMark(client) === null);
    const hosts = findings.filter(isKind<HostFinding>('host'));
    const sessions = findings.filter(isKind<SessionFinding>('session'));
    if (names.length > 0) {
      await enrichment.noteNames(names);
    }
    if (hosts.length > 0) {
      await applyHosts(hosts);
    }
    if (sessions.length > 0) {
      await recordSessions(sessions);
    }
  };
}

function isKind<F extends Finding>(kind: F['kind']): (finding: Finding) => finding is F {
  return (finding): finding is F => finding.kind === kind;
}

/** The router that wrote the line: the one syslog names, else the only one of its kind; null when that is open. */
function findRouter(settings: SettingsDocument, sender: string | null): string | null {
  const routers = settings.current().routers.filter(({ kind }) => kind === 'vendor_a');
  const named = routers.find(({ ip, hostName }) => sender !== null && (ip === sender || hostName === sender));
  const [only] = routers;
  return named?.id ?? (routers.length === 1 ? (only?.id ?? null) : null);
}

/** The line is written when the session ends. */
function toObservation({ proto, src, sport, dst, dport, durationMs }: SessionFinding, at: number): Observation {
  return { src, dst, dport, proto, sport, ttl: null, startedAt: at - (durationMs ?? 0), at };
}
