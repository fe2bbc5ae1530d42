import type { Command } from '../command/command.js';
import { JOB_OPTIONS } from './job-options.js';
import { VALUE_OPTIONS } from './value-options.js';
import { optional } from './words.js';

const section = 'Groups and schedules';

export const FLEET: readonly Command[] = [
  {
    name: 'groups',
    section,
    about: 'List groups; show, make or cancel one',
    arguments: [optional('ID')],
    options: {
      create: {
        value: 'FILE',
        kind: 'file',
        about: 'Make a group of the JSON in a file (POST /v1/groups); - is standard input',
      },
      replay: { value: 'FILE', kind: 'file', about: 'Add the steps of a replay file' },
      ...VALUE_OPTIONS,
      cancel: { about: 'Cancel the group' },
      label: { value: 'KEY:VALUE', about: 'List groups with this label' },
      ...JOB_OPTIONS,
    },
    example: 'cloudphone groups --create nightly.json',
    load: () => import('../fleet/groups.js'),
  },
  {
    name: 'schedules',
    section,
    about: 'List schedules; show, make, change or delete one',
    arguments: [optional('ID')],
    options: {
      create: {
        value: 'FILE',
        kind: 'file',
        about: 'Make a schedule of the JSON in a file (POST /v1/schedules); - is standard input',
      },
      replay: { value: 'FILE', kind: 'file', about: 'Add the steps of a replay file' },
      ...VALUE_OPTIONS,
      enable: { about: 'Let it run' },
      disable: { about: 'Do not let it run' },
      delete: { about: 'Delete it' },
    },
    example: 'cloudphone schedules --create weekly.json',
    load: () => import('../fleet/schedules.js'),
  },
];
