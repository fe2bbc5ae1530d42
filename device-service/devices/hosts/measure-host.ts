import type { Clock } from '../../../kit/async/clock.js';
import { within } from '../../../kit/async/within.js';
import type { HostDisk, PhoneCapacity, PhoneDriver } from '../../../phone/driver.js';
import { DATA_DISK, RESERVE_DISK_MB } from '../../../phone/files/measure-capacity.js';
import { MEASURE_MS } from '../limits.js';
import type { HostDriver } from '../../store/hosts.js';

/**
 * Returns the capabilities of each driver and the memory and disk space for its phones. Each driver fails alone. A driver that cannot be
 * measured in time offers no model, and has the reason among its problems.
 */
export function measureHost(drivers: readonly PhoneDriver[], clock: Clock): Promise<HostDriver[]> {
  return Promise.all(
    drivers.map(async (driver): Promise<HostDriver> => {
      try {
        const onTimeout = (): Error => new Error(`they were not measured within ${MEASURE_MS / 1_000} s`);
        return measured(driver, await within({ clock, timeoutMs: MEASURE_MS, onTimeout }, () => driver.capacity()));
      } catch (error) {
        return unmeasured(driver, error instanceof Error ? error.message : String(error));
      }
    }),
  );
}

function measured(driver: PhoneDriver, capacity: PhoneCapacity): HostDriver {
  const { freeMemoryMb, freeDiskMb, slots, engineResponds } = capacity;
  const disks = capacity.disks ?? [{ name: DATA_DISK, freeDiskMb }];
  const problems = [...(capacity.problems ?? []), ...(driver.capabilities().create ? fullDisks(driver, disks) : [])];
  const { models, withheld = [] } = driver.capabilities();
  return {
    ...whatItCan(driver),
    freeMemoryMb,
    freeDiskMb,
    disks: disks.map((disk) => ({ ...disk })),
    ...(withheld.length > 0 && { withheld: [...withheld] }),
    ...(problems.length > 0 && { problems }),
    ...(engineResponds === false && { engineAway: true as const }),
    models: models.map((model) => ({
      ...model,
      android: [...model.android],
      phoneMemoryMb: capacity.memoryMbOf(model),
      ...(slots !== undefined && { slots: [...(slots.get(model.model) ?? [])] }),
    })),
  };
}

/** Returns a line for each disk that has no room for another phone. */
function fullDisks({ kind }: PhoneDriver, disks: readonly HostDisk[]): string[] {
  return disks
    .filter((disk) => disk.freeDiskMb < RESERVE_DISK_MB)
    .map(
      ({ name, freeDiskMb }) =>
        `no new phones of the kind "${kind}" are made: ${freeDiskMb} MiB are free on the disk of ${name}, and ` +
        `${RESERVE_DISK_MB} MiB stay free`,
    );
}

function unmeasured(driver: PhoneDriver, reason: string): HostDriver {
  const { models, withheld = [] } = driver.capabilities();
  return {
    ...whatItCan(driver),
    ...{ freeMemoryMb: 0, freeDiskMb: 0, models: [], engineAway: true as const },
    withheld: [...models.map(({ model }) => model), ...withheld],
    problems: [`no phones of the kind "${driver.kind}" are offered: ${reason}`],
  };
}

function whatItCan(driver: PhoneDriver): Pick<HostDriver, 'kind' | 'create' | 'exit'> & Partial<HostDriver> {
  const { create, exit, snapshots, conditions, conditionsLack = [] } = driver.capabilities();
  const { kind, moves, upgrades, snapshots: saved } = driver;
  const able = {
    ...{ kind, create, exit },
    ...(moves !== undefined && { moves: true as const }),
    ...(upgrades !== undefined && { upgrades: true as const }),
    ...(saved !== undefined && { templates: true as const }),
  };
  return { ...able, snapshots, conditions: [...conditions], conditionsLack: [...conditionsLack] };
}
