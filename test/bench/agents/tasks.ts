/** One thing that an agent wants, on the screen that is in front. */
export type Intent =
  | { tap: string }
  /** Into the field with this hint or label. */
  | { type: { field: string; text: string } }
  /** Scrolls until the text shows. */
  | { find: string };

/** Something that a person asks an agent to do. */
export interface Task {
  what: string;
  app: { label: string; package: string };
  /** The wanted steps on each screen, one after the other: an agent sees the next one only when it is there. */
  screens: readonly (readonly Intent[])[];
  /** The text that then shows. */
  shows: string;
  /** A shell command that then prints something else than before. */
  changes?: string;
}

const APPS = {
  notes: { label: 'Notes', package: 'com.cloudphone.notes' },
  settings: { label: 'Settings', package: 'com.cloudphone.settings' },
  messages: { label: 'Messages', package: 'com.cloudphone.messages' },
  lab: { label: 'Lab', package: 'com.cloudphone.lab' },
} as const;

/** Eight tasks; texts end with `mark`, so that each run finds its own. */
export function tasks(mark: string): Task[] {
  return [
    {
      what: 'write a note',
      app: APPS.notes,
      screens: [
        [{ tap: 'New note' }],
        [
          { type: { field: 'Title', text: `Shopping ${mark}` } },
          { type: { field: 'Note', text: 'Oat milk' } },
          { tap: 'Save' },
        ],
      ],
      shows: `Shopping ${mark}`,
    },
    {
      what: 'delete that note',
      app: APPS.notes,
      screens: [[{ tap: `Shopping ${mark}` }], [{ tap: 'Delete note' }], [{ tap: 'Delete' }]],
      shows: 'New note',
    },
    {
      what: 'turn a switch',
      app: APPS.settings,
      screens: [[{ tap: 'Display' }], [{ tap: 'Auto-rotate screen' }]],
      shows: 'Auto-rotate screen',
      changes: 'settings get system accelerometer_rotation',
    },
    {
      what: 'read the Android version',
      app: APPS.settings,
      screens: [[{ tap: 'About phone' }]],
      shows: 'Android version',
    },
    {
      what: 'send a message',
      app: APPS.messages,
      screens: [
        [{ tap: 'Mara Lind' }],
        [{ type: { field: 'Text message', text: `On my way ${mark}` } }, { tap: 'Send message' }],
      ],
      shows: `On my way ${mark}`,
    },
    {
      what: 'fill in a form',
      app: APPS.lab,
      screens: [
        [{ find: 'Every kind of control' }, { tap: 'Form' }],
        [{ type: { field: 'Name', text: 'Ada' } }, { type: { field: 'E-mail', text: `ada-${mark}@example.com` } }],
      ],
      shows: `ada-${mark}@example.com`,
    },
    {
      what: 'allow the camera',
      app: APPS.lab,
      screens: [
        [{ find: 'Dialogs and messages' }, { tap: 'Dialogs and messages' }],
        [{ tap: 'Question' }],
        [{ tap: 'Allow' }],
      ],
      shows: 'Allowed',
    },
    {
      what: 'tap a row far down a list',
      app: APPS.lab,
      screens: [
        [{ find: 'Long list' }, { tap: 'Long list' }],
        [{ find: 'Row 40' }, { tap: 'Row 40' }],
      ],
      shows: 'Row 40 tapped',
    },
  ];
}

/** Eight screens: how each is brought up, as a component. */
export const SCREENS: readonly (readonly [what: string, component: string])[] = [
  ['the launcher', 'com.cloudphone.launcher/.Home'],
  ['notes', 'com.cloudphone.notes/.Main'],
  ['messages', 'com.cloudphone.messages/.Main'],
  ['settings', 'com.cloudphone.settings/.Main'],
  ['display settings', 'com.cloudphone.settings/.Display'],
  ['about phone', 'com.cloudphone.settings/.About'],
  ['a form', 'com.cloudphone.lab/.Form'],
  ['a long list', 'com.cloudphone.lab/.List'],
];
