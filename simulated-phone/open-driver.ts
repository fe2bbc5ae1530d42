import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../kit/async/clock.js';
import { Settings } from '../kit/config/settings.js';
import type { Log } from '../kit/log/log.js';
import { ChangeFeed } from '../phone/change-feed.js';
import { SimulatedDriver } from './driver.js';
import { readSimulatedPhones } from './host/config.js';
import { PhoneFolder } from './host/phone-folder.js';
import { PROCESS_FOLDERS } from './host/process-folder.js';
import { RUN_FILE } from './host/run-record.js';
import { giveFilesToUnstarted } from './host/unstarted-phones.js';
import { measureCapacity } from '../phone/files/measure-capacity.js';
import { FolderMoves } from '../phone/moves/folder-moves.js';
import { linkToProcess } from './processes/simulator-link.js';
import { SimulatorProcesses } from './processes/simulator-processes.js';

export interface OpenSimulatedDriverOptions {
  /** The folder in which the phones are kept. */
  directory: string;
  /** The environment of this process. It contains the settings of the driver and of the simulator's processes. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Whether phones go on running when the driver closes, to be found again by the next one. */
  phonesOutliveDriver: boolean;
  clock: Clock;
  log: Log;
}

/** Opens the driver of simulated phones. SimulatorProcesses.open describes what is done with simulator processes of an earlier driver. */
export async function openSimulatedDriver(options: OpenSimulatedDriverOptions): Promise<SimulatedDriver> {
  const { directory, environment, clock, log, phonesOutliveDriver } = options;
  const settings = new Settings(environment);
  const { processes: count } = readSimulatedPhones(settings);
  settings.check();
  // No phone is made or moved by this process, so this scratch folder is never used.
  const folder = new PhoneFolder(directory, join(directory, 'scratch'));
  await giveFilesToUnstarted(folder);
  const changes = new ChangeFeed();
  const processes = new SimulatorProcesses({
    count,
    folder,
    linkTo: (index) => linkToProcess({ directory, index, clock, environment }),
    found: () => processIndices(directory),
    clock,
    log,
    onChange: (change) => changes.publish(change),
  });
  await processes.open();
  const capacity = (): ReturnType<typeof measureCapacity> => measureCapacity(directory);
  const moves = new FolderMoves({
    directory,
    // It names the process that runs the phone.
    without: [RUN_FILE],
    owners: false,
    // Every host has all that a simulated phone needs.
    needs: () => Promise.resolve(''),
    prepare: () => Promise.resolve(),
  });
  const parts = { folder, processes, moves, changes, clock, log };
  return new SimulatedDriver({ ...parts, measureCapacity: capacity, phonesOutliveDriver });
}

async function processIndices(directory: string): Promise<number[]> {
  const names = await readdir(join(directory, PROCESS_FOLDERS)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => /^\d{1,4}$/.test(name)).map(Number);
}
