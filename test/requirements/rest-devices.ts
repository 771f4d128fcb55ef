// REST specification: LAN devices, merge candidates and notes.
import { type Requirement, stated } from './requirement.ts';

export const restDevices: readonly Requirement[] = [
  ...stated(1, '1, 2 Device', {
    'rest.devices.identity': 'LAN devices are tracked with their identity',
    'rest.devices.status': 'LAN devices are tracked with their status',
    'rest.devices.ipv6': 'LAN devices are tracked with their IPv6 addresses',
    'rest.devices.notes': 'LAN devices carry free-text notes',
  }),
  ...stated(1, '2 Device, 3, 4 Devices and notes', {
    'rest.devices.archive': 'POST /api/devices/archive { deviceId } makes an active device archived',
    'rest.devices.unarchive': 'POST /api/devices/unarchive { deviceId } makes an archived device active',
  }),
  ...stated(1, '2 Device, 3', {
    'rest.devices.merge-statuses': 'a merge candidate is pending, approved or rejected',
  }),
  ...stated(1, '2 Device, 4 Devices and notes', {
    'rest.devices.merge': 'POST /api/devices/merge takes keepId and dropId',
    'rest.devices.reject': 'POST /api/devices/reject takes id',
  }),
  ...stated(1, '4 Devices and notes', {
    'rest.devices.all-protected': 'every route of devices and notes is Protected',
    'rest.devices.list': 'GET /api/devices returns identity, status, IPv6 addresses and notes',
    'rest.devices.include-archived': 'includeArchived=1 adds archived devices',
    'rest.devices.merge-candidates':
      'GET /api/devices/merge-candidates takes status pending, approved, rejected or all',
    'rest.notes.list': 'GET /api/notes returns saved notes',
    'rest.notes.write': 'POST /api/notes writes a note',
  }),
  ...stated(1, '4 Devices and notes', {
    'rest.notes.draft': 'POST /api/notes/draft drafts a note through the configured assistant integration',
  }),
  ...stated(1, '2 Note, 4 Devices and notes, 8', {
    'rest.notes.500': 'a note has at most 500 characters',
    'rest.notes.limit':
      'at most 1,000 notes are stored; at that limit those that are stored can be changed and deleted',
  }),
  ...stated(1, '2 Note', {
    'rest.notes.attached': 'a note is attached to a device',
  }),
];
