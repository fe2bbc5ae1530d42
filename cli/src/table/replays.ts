import type { Command, Option } from '../command/command.js';
import { word } from './words.js';

const section = 'Replays';

/** The values of a replay's variables. */
export const VALUE_OPTIONS: Readonly<Record<string, Option>> = {
  var: { value: 'NAME=TEXT', isMany: true, about: 'The text of a variable; others on this machine see it' },
  'var-file': { value: 'FILE', kind: 'file', about: 'Texts of variables, as YAML or JSON: NAME: TEXT; - is standard input' },
};

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
];
