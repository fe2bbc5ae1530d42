import type { Command } from '../command/command.js';
import { JOB_OPTIONS } from './job-options.js';
import { many, NAME, optional, word } from './words.js';

const section = 'Apps, files and logs';

const LEVELS = ['verbose', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
const EVENTS = [
  ...(['job.finished', 'health.problem', 'health.resolved', 'recording.finished'] as const),
  ...(['lease.begun', 'lease.ended', 'handover.begun', 'handover.ended', 'device.state'] as const),
  ...(['app.crashed', 'app.not_responding', 'key.expiring'] as const),
] as const;

export const FILES_AND_LOGS: readonly Command[] = [
  {
    name: 'apps',
    section,
    about: 'List the apps that the operator offers',
    arguments: [],
    options: {},
    example: 'cloudphone apps',
    load: () => import('../apps/catalogue.js'),
  },
  {
    name: 'packages',
    section,
    about: 'List the apps on a phone',
    arguments: [NAME],
    options: { all: { about: 'Those of the system too' } },
    example: 'cloudphone packages demo',
    load: () => import('../apps/packages.js'),
  },
  {
    name: 'install',
    section,
    about: 'Install APKs, bundles (.apks, .xapk, .apkm), apps of "cloudphone apps", or my/NAME of the library',
    arguments: [NAME, many('APP', 'file')],
    options: JOB_OPTIONS,
    example: 'cloudphone install demo app.apk',
    load: async () => ({ run: (await import('../apps/install.js')).install.run }),
  },
  {
    name: 'uninstall',
    section,
    about: 'Remove an app with its data',
    arguments: [NAME, word('PACKAGE')],
    options: JOB_OPTIONS,
    example: 'cloudphone uninstall demo com.example.postcards',
    load: async () => ({ run: (await import('../apps/install.js')).uninstall.run }),
  },
  {
    name: 'push',
    section,
    about: 'Copy a file to a phone, under /sdcard or /data/local/tmp',
    arguments: [NAME, word('FILE', 'file'), word('PATH')],
    options: {},
    example: 'cloudphone push demo photo.jpg /sdcard/Download/',
    load: async () => ({ run: (await import('../files/files.js')).push.run }),
  },
  {
    name: 'pull',
    section,
    about: 'Copy a file from a phone; - is standard output',
    arguments: [NAME, word('PATH'), optional('FILE', 'file')],
    options: {},
    example: 'cloudphone pull demo /sdcard/Download/photo.jpg',
    load: async () => ({ run: (await import('../files/files.js')).pull.run }),
  },
  {
    name: 'ls',
    section,
    about: 'List a folder of a phone; /sdcard by default',
    arguments: [NAME, optional('PATH')],
    options: {},
    example: 'cloudphone ls demo /sdcard/Download',
    load: async () => ({ run: (await import('../files/files.js')).list.run }),
  },
  {
    name: 'rm',
    section,
    about: 'Delete files and empty folders of a phone',
    arguments: [NAME, many('PATH')],
    options: {},
    example: 'cloudphone rm demo /sdcard/Download/photo.jpg',
    load: async () => ({ run: (await import('../files/files.js')).remove.run }),
  },
  {
    name: 'logs',
    section,
    about: 'Print the newest lines of the log, or follow it',
    arguments: [NAME],
    options: {
      follow: { short: 'f', about: 'Go on with the lines that the phone writes, until Ctrl-C' },
      lines: { value: 'NUMBER', short: 'n', about: 'How many of the newest lines: 500 by default, with --follow 10' },
      level: { value: 'LEVEL', words: LEVELS, about: 'This level and more serious ones' },
      tag: { value: 'TAG', about: 'Only lines with this tag' },
    },
    example: 'cloudphone logs demo --follow --level warn',
    load: () => import('../logs/logs.js'),
  },
  {
    name: 'crashes',
    section,
    about: 'List the crashes of apps on a phone, or print the trace of one',
    arguments: [NAME, optional('CRASH')],
    options: {},
    example: 'cloudphone crashes demo',
    load: () => import('../logs/crashes.js'),
  },
  {
    name: 'events',
    section,
    about: 'Print what happens to phones, until Ctrl-C',
    arguments: [optional('NAME', 'device')],
    options: {
      type: { value: 'TYPE', words: EVENTS, isMany: true, about: 'Only of this type' },
      after: { value: 'ID', about: 'Begin after this event, up to 24 hours back; "id" of --json' },
    },
    example: 'cloudphone events demo --type job.finished',
    load: () => import('../logs/events.js'),
  },
];
