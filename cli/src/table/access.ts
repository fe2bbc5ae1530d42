import type { Command } from '../command/command.js';
import { optional, word } from './words.js';

const section = 'Access';

export const ACCESS: readonly Command[] = [
  {
    name: 'login',
    section,
    about: 'Verify an API key, and keep it for later calls',
    arguments: [optional('URL')],
    options: { 'key-stdin': { about: 'Read the key from standard input, without a question' } },
    example: 'cloudphone login https://phones.example.com',
    load: () => import('../account/login.js'),
  },
  {
    name: 'logout',
    section,
    about: 'Forget the key of a service',
    arguments: [],
    options: {},
    example: 'cloudphone logout --service phones.example.com',
    load: () => import('../account/logout.js'),
  },
  {
    name: 'whoami',
    section,
    about: 'Show the service, the account and its quotas',
    arguments: [],
    options: {},
    example: 'cloudphone whoami',
    load: () => import('../account/whoami.js'),
  },
  {
    name: 'keys',
    section,
    about: 'List the API keys where the service allows it, else name the page of the panel that does',
    arguments: [],
    options: {},
    example: 'cloudphone keys',
    load: () => import('../account/keys.js'),
  },
  {
    name: 'usage',
    section,
    about: 'Show the minutes and the cost of each phone',
    arguments: [],
    options: {
      from: { value: 'DATE', about: 'First day, such as 2026-11-01; that of this month by default' },
      to: { value: 'DATE', about: 'Last day, included' },
    },
    example: 'cloudphone usage --from 2026-11-01 --to 2026-11-30',
    load: () => import('../account/usage.js'),
  },
  {
    name: 'audit',
    section,
    about: 'Check that an export of the audit log (lines of JSON) is whole: `audit verify FILE`',
    arguments: [word('ACTION'), word('FILE', 'file')],
    options: {},
    example: 'cloudphone audit verify audit.ndjson',
    load: () => import('../audit/audit.js'),
  },
  {
    name: 'completion',
    section,
    about: 'Print the script that completes commands, options and names of phones in a shell',
    arguments: [word('SHELL')],
    options: {},
    example: 'source <(cloudphone completion bash)',
    load: () => import('../command/print-completion.js'),
  },
];
