import type { Row } from './row.js';
import { installs, logs, relays } from './rows/adb.js';
import { conditions } from './rows/conditions.js';
import { clones, snapshots } from './rows/copies.js';
import { keepsDatagrams } from './rows/datagrams.js';
import { exits } from './rows/exit.js';
import { leases } from './rows/lease.js';
import { creates, deletes, identifiesPhones, identifiesStarts, startsOften, survivesKill } from './rows/life.js';
import { opensApp, rotates, shows, types } from './rows/screen.js';
import { pools } from './rows/pool.js';
import { templates } from './rows/template.js';
import { usesHost } from './rows/usage.js';

/** All rows in the order in which they run. The first makes the phone that the others use, and the last deletes it. */
export const ROWS: readonly Row[] = [
  ...[creates, identifiesStarts, identifiesPhones],
  ...[shows, opensApp, types, rotates],
  ...[logs, installs, relays, usesHost],
  ...[snapshots, clones, templates, leases, pools, exits, keepsDatagrams, conditions],
  ...[survivesKill, startsOften, deletes],
];
