import type { PhoneDriver } from '../../phone/driver.js';
import type { HostDriver } from '../store/hosts.js';

/** Returns the capabilities of each driver and the memory and disk space for its phones. */
export function measureHost(drivers: readonly PhoneDriver[]): Promise<HostDriver[]> {
  return Promise.all(
    drivers.map(async (driver): Promise<HostDriver> => {
      const capacity = await driver.capacity();
      const { freeMemoryMb, freeDiskMb, slots, problems = [] } = capacity;
      const { create, exit, snapshots, conditions, conditionsLack = [], models } = driver.capabilities();
      return {
        kind: driver.kind,
        freeMemoryMb,
        freeDiskMb,
        create,
        exit,
        snapshots,
        conditions: [...conditions],
        conditionsLack: [...conditionsLack],
        ...(problems.length > 0 && { problems: [...problems] }),
        models: models.map((model) => ({
          ...model,
          android: [...model.android],
          phoneMemoryMb: capacity.memoryMbOf(model),
          ...(slots !== undefined && { slots: [...(slots.get(model.model) ?? [])] }),
        })),
      };
    }),
  );
}
