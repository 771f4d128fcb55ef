// Decisions of an operator about devices: merge, undo, reject, archive, unarchive. Each may be refused.
import { AppError, refuseField } from '#kernel/errors.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import type { SourceLabels } from '../../record/connections/store/source-labels.ts';
import { proposeMerges } from './candidates.ts';
import { describeAddress, listAddresses, refreshNames } from './labels.ts';
import { type DeviceRow, findDevice, mergeRows, resolveCandidate, splitRows } from './merge.ts';

export interface DecisionOptions {
  now: number;
  labels: SourceLabels;
}

/** Throws AppError `invalid_body`, `not_found`, `device_archived`. */
export function* mergeDevices(
  writer: Writer,
  keepId: string,
  dropId: string,
  { now, labels }: DecisionOptions,
): WriteSteps<void> {
  if (keepId === dropId) {
    throw refuseField('invalid_body', 'keepId', 'and dropId are the same device: name two', 'invalid_value');
  }
  const keep = requireDevice(writer, keepId);
  const dropped = requireDevice(writer, dropId);
  for (const one of [keep, dropped]) {
    requireActive(writer, one);
  }
  mergeRows(writer, { keep: keep.id, dropped: dropped.id, now });
  updateLabels(writer, labels, keep.id);
  yield* proposeMerges(writer, now);
}

/** Throws AppError `not_found`, `device_not_merged`. */
export function* splitDevice(writer: Writer, deviceId: string, { now, labels }: DecisionOptions): WriteSteps<void> {
  const device = requireDevice(writer, deviceId);
  if (device.mergedInto === null) {
    throw new AppError('device_not_merged', 'this device was not merged into another one: there is nothing to undo');
  }
  splitRows(writer, { dropped: device.id, now });
  updateLabels(writer, labels, device.root);
  updateLabels(writer, labels, device.id);
  yield* proposeMerges(writer, now);
}

/** Throws AppError `not_found` for a candidate that is unknown or settled. */
export function rejectCandidate(writer: Writer, id: number, now: number): void {
  const candidate = writer.prepare('SELECT status FROM merge_candidate WHERE id = ?').get(id);
  if ((candidate as { status: string } | undefined)?.status !== 'pending') {
    throw new AppError(
      'not_found',
      'there is no pending candidate with this id; GET /api/devices/merge-candidates lists them',
    );
  }
  resolveCandidate(writer, id, 'rejected', now);
}

/** Throws AppError `not_found` for a device that is unknown or archived already. */
export function archiveDevice(writer: Writer, deviceId: string, now: number): void {
  const device = findDevice(writer, deviceId);
  if (!device || device.archivedAt !== null) {
    throw new AppError('not_found', device ? 'this device is archived already' : noDevice);
  }
  writer.prepare('UPDATE device SET archived_at = ? WHERE id = ?').run(now, device.id);
}

/**
 * A device whose merge target is archived too is split from it; while the target is active, the merge must be undone
 * explicitly. An active device stays as it is. Throws AppError `not_found`, `device_merged`.
 */
export function* unarchiveDevice(writer: Writer, deviceId: string, options: DecisionOptions): WriteSteps<void> {
  const device = requireDevice(writer, deviceId);
  if (device.mergedInto === null) {
    writer.prepare('UPDATE device SET archived_at = NULL WHERE id = ?').run(device.id);
    return;
  }
  const target = writer
    .prepare('SELECT device_id AS deviceId, archived_at AS archivedAt FROM device WHERE id = ?')
    .get(device.root) as { deviceId: string; archivedAt: number | null };
  if (target.archivedAt === null) {
    throw new AppError(
      'device_merged',
      `this device was merged into ${target.deviceId}: undo that with POST /api/devices/split`,
    );
  }
  yield* splitDevice(writer, deviceId, options);
}

const noDevice = 'there is no device with this id; GET /api/devices lists them';

function requireDevice(writer: Writer, deviceId: string): DeviceRow {
  const device = findDevice(writer, deviceId);
  if (!device) {
    throw new AppError('not_found', noDevice);
  }
  return device;
}

function requireActive(writer: Writer, { deviceId, archivedAt, mergedInto, root }: DeviceRow): void {
  if (mergedInto !== null) {
    const target = writer.prepare('SELECT device_id AS deviceId FROM device WHERE id = ?').get(root);
    const { deviceId: into } = target as { deviceId: string };
    throw new AppError('device_merged', `${deviceId} was merged into ${into}: name that one`);
  }
  if (archivedAt !== null) {
    throw new AppError('device_archived', `${deviceId} is archived: unarchive it first`);
  }
}

/** Updates names and sources after a merge or a split. */
function updateLabels(writer: Writer, labels: SourceLabels, root: number): void {
  refreshNames(writer, root);
  for (const address of listAddresses(writer, root)) {
    const facts = describeAddress(writer, address);
    if (facts) {
      labels.describe(address, facts);
    }
  }
}
