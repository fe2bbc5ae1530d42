import type { Command, Option } from '../command/command.js';
import { many, NAME, word } from './words.js';

const section = 'Screen';

/** Options of all commands that act on the screen. */
const ACT_OPTIONS: Readonly<Record<string, Option>> = {
  expect: { value: 'TEXT', about: 'A text that must show afterwards; where it does not, the status is 1' },
  'timeout-ms': { value: 'MS', about: 'Longest time for everything, 100 to 60000; 10000 by default' },
  show: { about: 'Print the screen afterwards' },
};

export const SCREEN: readonly Command[] = [
  {
    name: 'screenshot',
    section,
    about: 'Save a picture of the screen',
    arguments: [NAME],
    options: {
      output: { value: 'FILE', short: 'o', kind: 'file', about: 'NAME.png by default; - is standard output' },
      format: { value: 'FORMAT', words: ['png', 'jpeg'], about: 'The format; by the name of the file by default' },
      'max-size': { value: 'PIXELS', about: 'The longest side at the most, 16 to 8192' },
    },
    example: 'cloudphone screenshot demo -o demo.png',
    load: () => import('../screen/screenshot.js'),
  },
  {
    name: 'record',
    section,
    about: 'Record the screen until Ctrl-C, and save the video; secrets that are typed are in it',
    arguments: [NAME],
    options: {
      output: { value: 'FILE', short: 'o', kind: 'file', about: 'NAME.mp4 by default' },
      'max-s': { value: 'SECONDS', about: 'End after so long, at most 7200; 600 by default' },
      'max-size': { value: 'PIXELS', about: 'The longest side at the most, 16 to 8192' },
      fps: { value: 'NUMBER', about: 'Pictures a second at the most, 1 to 60; 30 by default' },
    },
    example: 'cloudphone record demo -o demo.mp4',
    load: () => import('../screen/record.js'),
  },
  {
    name: 'handover',
    section,
    about: 'Ask a person to take a phone, print the link, wait, and print the note; Ctrl-C cancels it',
    arguments: [NAME],
    options: {
      reason: { value: 'TEXT', about: 'What the person is to do; required' },
      timeout: { value: 'TIME', about: 'How long it may take, such as 10m, which is the default; 30s to 1h' },
    },
    example: 'cloudphone handover demo --reason "Type the code from the message"',
    load: () => import('../screen/handover.js'),
  },
  {
    name: 'observe',
    section,
    about: 'Print the elements on the screen, one a line, with their ids',
    arguments: [NAME],
    options: {
      elements: {
        value: 'FORM',
        words: ['compact', 'changed', 'full'],
        about: 'How they are listed; compact by default',
      },
    },
    example: 'cloudphone observe demo',
    load: () => import('../screen/observe.js'),
  },
  {
    name: 'act',
    section,
    about: 'Do up to 20 steps, each as JSON of the API',
    arguments: [NAME, many('STEP')],
    options: ACT_OPTIONS,
    example: `cloudphone act demo '{"open_app": {"app": "Notes"}}' '{"tap": {"text": "New note"}}'`,
    load: () => import('../screen/act.js'),
  },
  {
    name: 'tap',
    section,
    about: 'Tap a text, an element by its id, or a point',
    arguments: [NAME, many('TARGET')],
    options: { long: { about: 'Press for long' }, double: { about: 'Tap twice' }, ...ACT_OPTIONS },
    example: 'cloudphone tap demo "New note"',
    load: async () => ({ run: (await import('../screen/touch.js')).tap.run }),
  },
  {
    name: 'type',
    section,
    about: 'Type a text; - reads it from standard input',
    arguments: [NAME, word('TEXT')],
    options: {
      into: { value: 'TARGET', about: 'A field, by its words or its id; the focused one by default' },
      clear: { about: 'Clear the field first' },
      submit: { about: 'Press Enter afterwards' },
      secret: { about: 'Keep the text out of logs and observations' },
      ...ACT_OPTIONS,
    },
    example: 'cloudphone type demo "oat milk" --submit',
    load: async () => ({ run: (await import('../screen/touch.js')).type.run }),
  },
  {
    name: 'swipe',
    section,
    about: 'Move a finger: up, down, left or right, or from X1 Y1 to X2 Y2',
    arguments: [NAME, many('WAY')],
    options: { 'duration-ms': { value: 'MS', about: 'How long it takes; 300 by default' }, ...ACT_OPTIONS },
    example: 'cloudphone swipe demo up',
    load: async () => ({ run: (await import('../screen/touch.js')).swipe.run }),
  },
  {
    name: 'key',
    section,
    about: 'Press keys, one after the other; ctrl_left+a holds several',
    arguments: [NAME, many('KEY')],
    options: ACT_OPTIONS,
    example: 'cloudphone key demo home',
    load: async () => ({ run: (await import('../screen/touch.js')).key.run }),
  },
];
