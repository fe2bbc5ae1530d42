import type { Command } from '../command/command.js';
import { DEVICE_OPTIONS } from './job-options.js';
import { endOptions } from './lease-options.js';
import { NAME, NAMES } from './words.js';

const section = 'adb and tests';

export const TESTS: readonly Command[] = [
  {
    name: 'adb',
    section,
    about: 'Give phones to the adb of this machine, through https, until Ctrl-C',
    arguments: [NAMES],
    options: {
      port: { value: 'PORT', about: 'Listen on this port of 127.0.0.1; on a free one by default' },
      'no-connect': { about: 'Do not run "adb connect"; another program connects' },
      off: { about: 'Turn the relays of the phones off, for everybody, and open nothing' },
    },
    example: 'cloudphone adb demo',
    load: () => import('../adb/adb.js'),
  },
  {
    name: 'shell',
    section,
    about: "Run adb's shell on a phone; its exit status is kept",
    arguments: [NAME],
    options: {},
    foreign: 'after-name',
    example: 'cloudphone shell demo getprop ro.build.version.release',
    load: () => import('../adb/shell.js'),
  },
  {
    name: 'run',
    section,
    about: 'Make or lease phones, run a command with each, and delete or release them; its exit status is kept',
    arguments: [],
    options: {
      ...DEVICE_OPTIONS,
      pool: { value: 'POOL', about: 'Lease phones of this pool, which run already' },
      device: { value: 'NAME', kind: 'device', about: 'Lease this phone; it is not deleted' },
      label: { value: 'KEY:VALUE', about: 'Lease free phones with this label; they are not deleted' },
      wait: { value: 'TIME', about: 'How long to wait for a leased phone; 10m with --pool, else not at all' },
      ...endOptions('Delete by default with --pool, else keep'),
      'clone-of': { value: 'PHONE/SNAPSHOT', about: 'Make clones of a snapshot, by its id or its label' },
      install: {
        value: 'APP',
        kind: 'file',
        isMany: true,
        about: 'Install a file, an app of "cloudphone apps", or my/NAME of the library',
      },
      shards: { value: 'NUMBER', about: 'Run the command on so many phones at once; 1 by default' },
      'time-limit-s': { value: 'SECONDS', about: 'End the command after so long; then the status is 124' },
      'boot-timeout-s': { value: 'SECONDS', about: 'How long to wait for a phone to run; 600 by default' },
      'idle-stop-s': { value: 'SECONDS', about: 'Have new phones stopped after so long without use; 600 by default' },
      artifacts: {
        value: 'FOLDER',
        kind: 'directory',
        about: 'Where the command fails, save log, picture and tree of its phone here',
      },
      record: { about: 'Save a video of each phone in the folder of --artifacts, also where the command succeeds' },
      'keep-on-failure': { about: 'Where the command fails, keep its phone' },
      'no-adb': { about: 'Do not connect adb' },
      sweep: { about: 'Only delete phones that killed runs have left over' },
    },
    foreign: 'after-dashes',
    example: 'cloudphone run --model phone-720p --install app.apk -- npx wdio',
    load: () => import('../run/run.js'),
  },
  {
    name: 'gym',
    section,
    about: 'Run the tasks of the gym on phones of the service; the status is 1 where one missed its goal',
    arguments: [],
    options: {
      policy: { value: 'NAME', words: ['scripted', 'random', 'idle'], about: 'Who acts; scripted by default' },
      family: { value: 'NAME', about: 'Only the tasks of this family' },
      task: { value: 'ID', about: 'Only this task' },
      seed: { value: 'NUMBER', about: 'Choose the parameters of the tasks by this number; 1 by default' },
      rounds: { value: 'NUMBER', about: 'Do each task so often, each time with another seed; 1 by default' },
      parallel: { value: 'NUMBER', about: 'Run so many episodes at once; 4 by default' },
      report: { value: 'FOLDER', kind: 'directory', about: 'Write gym.json, junit.xml and index.html here' },
      list: { about: 'Only print the ids of the tasks' },
      serve: { about: 'Serve the environments over lines of JSON on standard input and output' },
    },
    example: 'cloudphone gym --policy scripted --parallel 20 --report gym-report',
    load: () => import('../gym/gym.js'),
  },
];
