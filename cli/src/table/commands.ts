import type { Command } from '../command/command.js';
import { ACCESS } from './access.js';
import { FLEET } from './fleet.js';
import { FILES_AND_LOGS } from './files-and-logs.js';
import { LEASES } from './leases.js';
import { PHONES } from './phones.js';
import { REPLAYS } from './replays.js';
import { SCREEN } from './screen.js';
import { TEMPLATES_AND_LIBRARY } from './templates-and-library.js';
import { TESTS } from './tests.js';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...ACCESS,
  ...PHONES,
  ...SCREEN,
  ...REPLAYS,
  ...FILES_AND_LOGS,
  ...TESTS,
  ...LEASES,
  ...TEMPLATES_AND_LIBRARY,
  ...FLEET,
];
