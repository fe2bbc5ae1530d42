import type { Command } from '../command/command.js';
import { JOB_OPTIONS } from './job-options.js';
import { word } from './words.js';

const section = 'Templates and the app library';

export const TEMPLATES_AND_LIBRARY: readonly Command[] = [
  {
    name: 'template create',
    section,
    about: 'Make a template of a snapshot, from which new phones are made',
    arguments: [word('TEMPLATE')],
    options: {
      from: { value: 'NAME', kind: 'device', about: 'The phone of the snapshot; not needed with the id of a snapshot' },
      snapshot: { value: 'ID', about: 'The snapshot, by its id or, with --from, by its label' },
      ...JOB_OPTIONS,
    },
    example: 'cloudphone template create golden --from demo --snapshot snap_1m7x2vye5t4vyenbj210hep75',
    load: async () => ({ run: (await import('../templates/template.js')).create.run }),
  },
  {
    name: 'template get',
    section,
    about: 'Show one template',
    arguments: [word('TEMPLATE')],
    options: {},
    example: 'cloudphone template get golden',
    load: async () => ({ run: (await import('../templates/template.js')).get.run }),
  },
  {
    name: 'template delete',
    section,
    about: 'Delete a template; phones that were made of it stay',
    arguments: [word('TEMPLATE')],
    options: {},
    example: 'cloudphone template delete golden',
    load: async () => ({ run: (await import('../templates/template.js')).remove.run }),
  },
  {
    name: 'templates',
    section,
    about: 'List the templates of the account',
    arguments: [],
    options: {},
    example: 'cloudphone templates',
    load: async () => ({ run: (await import('../templates/template.js')).list.run }),
  },
  {
    name: 'library',
    section,
    about: 'List the apps of the account, which installs name as my/NAME',
    arguments: [],
    options: {},
    example: 'cloudphone library',
    load: async () => ({ run: (await import('../library/library.js')).list.run }),
  },
  {
    name: 'library put',
    section,
    about: 'Store an APK or bundle (.apks, .xapk, .apkm) under a name; an app that has the name is replaced',
    arguments: [word('APP'), word('FILE', 'file')],
    options: {},
    example: 'cloudphone library put shop app.apk',
    load: async () => ({ run: (await import('../library/library.js')).put.run }),
  },
  {
    name: 'library get',
    section,
    about: 'Show one app of the library',
    arguments: [word('APP')],
    options: {},
    example: 'cloudphone library get shop',
    load: async () => ({ run: (await import('../library/library.js')).get.run }),
  },
  {
    name: 'library delete',
    section,
    about: 'Delete an app from the library; phones keep it',
    arguments: [word('APP')],
    options: {},
    example: 'cloudphone library delete shop',
    load: async () => ({ run: (await import('../library/library.js')).remove.run }),
  },
];
