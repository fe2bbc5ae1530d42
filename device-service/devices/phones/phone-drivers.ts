import {
  type ListedStatus,
  type PhoneChange,
  type PhoneDriver,
  PhoneFailure,
  type PhoneSnapshots,
} from '../../../phone/driver.js';
import type { DeviceDocument } from '../../store/devices.js';

/** A phone that a driver has listed, and the kind of the driver. */
export interface ListedPhone {
  kind: string;
  status: ListedStatus;
}

/** The drivers of this host, one for each kind of phone that it has. */
export class PhoneDrivers {
  readonly all: readonly PhoneDriver[];

  constructor(drivers: readonly PhoneDriver[]) {
    this.all = drivers;
  }

  /**
   * Returns the driver of a device's phone. Where this host has no driver of that kind, it returns a substitute that reports each phone
   * as broken.
   */
  of({ driver }: Pick<DeviceDocument, 'driver'>): PhoneDriver {
    return this.all.find(({ kind }) => kind === driver) ?? missing(driver);
  }

  /**
   * Returns every phone of every kind that exists on this host. Each driver fails alone: `failures` has the errors of drivers that could
   * not list their phones, by kind. `limited` runs the list of one driver within a time limit.
   */
  async list(
    limited: (list: (signal: AbortSignal) => Promise<Map<string, ListedStatus>>) => Promise<Map<string, ListedStatus>>,
  ): Promise<{ phones: Map<string, ListedPhone>; failures: Map<string, unknown> }> {
    const phones = new Map<string, ListedPhone>();
    const failures = new Map<string, unknown>();
    const listOf = async (driver: PhoneDriver): Promise<void> => {
      const { kind } = driver;
      try {
        for (const [phoneId, status] of await limited((signal) => driver.list(signal)))
          phones.set(phoneId, { status, kind });
      } catch (error) {
        failures.set(kind, error);
      }
    };
    await Promise.all(this.all.map(listOf));
    return { phones, failures };
  }

  /** Calls `onChange` for each change that a driver reports, until aborted. */
  watch(signal: AbortSignal, onChange: (change: PhoneChange) => void, onError: (error: unknown) => void): void {
    for (const driver of this.all) {
      const watching = async (): Promise<void> => {
        for await (const change of driver.watch(signal)) onChange(change);
      };
      watching().catch(onError);
    }
  }
}

function missing(kind: string): PhoneDriver {
  const refuse = (): Promise<never> => Promise.reject(new Error(`this host has no driver "${kind}"`));
  return {
    kind,
    capabilities: () => ({ models: [], create: false, power: false, exit: false, snapshots: 'none', conditions: [] }),
    capacity: refuse,
    list: () => Promise.resolve(new Map<string, ListedStatus>()),
    inspect: () =>
      Promise.resolve({ state: 'broken', problem: `The host of this phone runs no phones of kind "${kind}" now.` }),
    create: refuse,
    start: refuse,
    stop: refuse,
    delete: refuse,
    watch: async function* () {
      // Without phones there are no changes.
    },
    close: () => Promise.resolve(),
  };
}

/** Returns the snapshots of a driver; throws where the driver has none. */
export function snapshotsOf(driver: PhoneDriver): PhoneSnapshots {
  if (driver.snapshots === undefined) throw new PhoneFailure('Phones of this kind keep no snapshots.');
  return driver.snapshots;
}
