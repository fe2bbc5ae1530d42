import type { Option } from '../command/command.js';

/** Options of commands that begin a job. */
export const JOB_OPTIONS: Readonly<Record<string, Option>> = {
  'no-wait': { about: 'Return while the job is running, and print it' },
  'timeout-s': { value: 'SECONDS', about: 'How long to wait for the job; 600 by default. Then the status is 124' },
};

/** Options of a phone that is to be made. */
export const DEVICE_OPTIONS: Readonly<Record<string, Option>> = {
  template: { value: 'TEMPLATE', about: 'One of "cloudphone templates", in place of a model' },
  model: { value: 'MODEL', about: 'One of "cloudphone models"; the first by default' },
  android: { value: 'VERSION', about: "Android version; the model's first by default" },
  exit: { value: 'TYPE:COUNTRY', about: 'Network exit, such as direct:us; one of "cloudphone exits"' },
  plan: { value: 'PLAN', words: ['minute', 'month'], about: 'How it is paid for; by the minute by default' },
};
