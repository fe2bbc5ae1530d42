import type { Option } from '../command/command.js';

/** The values of a replay's variables. */
export const VALUE_OPTIONS: Readonly<Record<string, Option>> = {
  var: { value: 'NAME=TEXT', isMany: true, about: 'The text of a variable; others on this machine see it' },
  'var-file': {
    value: 'FILE',
    kind: 'file',
    about: 'Texts of variables, as YAML or JSON: NAME: TEXT; - is standard input',
  },
};
