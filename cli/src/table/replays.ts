import type { Command } from '../command/command.js';
import { VALUE_OPTIONS } from './value-options.js';
import { NAME, word } from './words.js';

const section = 'Replays';

export const REPLAYS: readonly Command[] = [
  {
    name: 'replay',
    section,
    about: 'Run the steps of a replay file on a phone; where the screen differs, the status is 1',
    arguments: [word('FILE', 'file')],
    options: {
      device: { value: 'NAME', kind: 'device', about: 'The phone' },
      ...VALUE_OPTIONS,
      junit: { value: 'FILE', kind: 'file', about: 'Write a report in the form of JUnit' },
      artifacts: {
        value: 'FOLDER',
        kind: 'directory',
        about: 'Where the screen differs, save the recorded picture and that of the screen now',
      },
    },
    example: 'cloudphone replay sign-in.yaml --device demo --var email=ada@example.com',
    load: () => import('../replay/replay.js'),
  },
  {
    name: 'record-steps',
    section,
    about: 'Write a replay file of what is done on a screen until Ctrl-C, or was done before',
    arguments: [NAME],
    options: {
      output: {
        value: 'FILE',
        short: 'o',
        kind: 'file',
        about: 'NAME.yaml by default; its pictures are in a folder beside it',
      },
      from: { value: 'TIME', about: 'Use what was done from this time on, in place of what is done now' },
      to: { value: 'TIME', about: 'And before this time' },
      key: { value: 'KEY', about: 'Only what this key did; panel is people in the panel' },
    },
    example: 'cloudphone record-steps demo -o sign-in.yaml',
    load: () => import('../replay/record-steps.js'),
  },
];
