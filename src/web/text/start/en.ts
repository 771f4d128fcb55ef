// English of the list of first steps, and of leaving a form. Every other language has the same keys, and functions with the same parameters.
import type { Same } from '../en.ts';

export const en = {
  title: 'First steps',
  progress: (done: string, total: string) => `${done} of ${total} done`,
  done: 'done',
  open: 'to do',
  putAway: 'Put this list away',
  unwanted: 'Not wanted',
  unsaved: {
    title: 'Leave without saving?',
    help: 'Your changes in this form are not saved. They are lost when you leave it.',
    stay: 'Stay here',
    leave: 'Leave without saving',
  },
  steps: {
    router: {
      title: 'Add a router',
      why: 'A router knows which device connects where; without one there is nothing to show.',
      to: 'Settings: routers',
    },
    poll: {
      title: 'First reading of a router',
      why: 'Connections appear when Gatehouse has read the table of a router.',
      to: 'State of the routers',
    },
    key: {
      title: 'Free key for three threat lists',
      why: 'Without it, no destination is checked against Feodo Tracker, ThreatFox and URLhaus.',
      to: 'Settings: threat feeds',
    },
    chat: {
      title: 'Alerts to the chat',
      why: 'Otherwise an alert is seen only by somebody who opens this page.',
      to: 'Settings: notifications',
    },
    password: {
      title: 'A password of your own',
      why: 'The password of the first start stood in a file or on a screen.',
      to: 'Settings: login',
    },
    backup: {
      title: 'A backup',
      why: 'Only a backup brings records and notes back after a failure of the disk.',
      to: 'Settings: backups',
    },
    agent: {
      title: 'An Agent (optional)',
      why: 'On a computer, an Agent says which program makes a connection.',
      to: 'Settings: Agents',
    },
  },
} as const;

export type StartDictionary = Same<typeof en>;
