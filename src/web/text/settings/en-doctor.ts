// English of the checks of the hub.

export const en = {
  title: 'Check this hub',
  help: 'Clock, disk, permissions, routers, Agents, names, feeds, backups and listener.',
  check: 'Check now',
  checked: 'Checked.',
  download: 'Download diagnostics',
  downloadHelp:
    'Without passwords and keys, but with names and addresses of your network: read it before you publish it.',
  states: { ok: 'OK', unknown: 'unknown', advice: 'advice', problem: 'problem' },
  checks: {
    port: 'Port',
    settings: 'Settings',
    database: 'Database',
    clock: 'Clock',
    disk: 'Disk',
    permissions: 'Permissions',
    routers: 'Routers',
    agents: 'Agents',
    names: 'Names',
    feeds: 'Threat feeds',
    backups: 'Backups',
    listener: 'Listener',
  },
};
