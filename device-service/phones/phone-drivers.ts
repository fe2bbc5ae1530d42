import type { PhoneChange, PhoneDriver, PhoneStatus } from '../../phone/driver.js';
import type { DeviceDocument } from '../store/devices.js';

/** The drivers of this host, one for each kind of phone that it has. */
export class PhoneDrivers {
  readonly all: readonly PhoneDriver[];

  constructor(drivers: readonly PhoneDriver[]) {
    this.all = drivers;
  }

  /** Returns the driver of a device's phone. Where this host has none of that kind, a stand-in that reports each phone as broken. */
  of({ driver }: Pick<DeviceDocument, 'driver'>): PhoneDriver {
    return this.all.find(({ kind }) => kind === driver) ?? missing(driver);
  }

  /** Every phone of every kind that exists here, with the kind. */
  async list(signal: AbortSignal): Promise<Map<string, { status: PhoneStatus; kind: string }>> {
    const found = new Map<string, { status: PhoneStatus; kind: string }>();
    const lists = await Promise.all(
      this.all.map(async (driver) => ({ kind: driver.kind, phones: await driver.list(signal) })),
    );
    for (const { kind, phones } of lists) for (const [phoneId, status] of phones) found.set(phoneId, { status, kind });
    return found;
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
    capabilities: () => ({ models: [], create: false, power: false, exit: false, snapshots: 'none' }),
    capacity: refuse,
    list: () => Promise.resolve(new Map<string, PhoneStatus>()),
    inspect: () =>
      Promise.resolve({ state: 'broken', problem: `The host of this phone runs no phones of kind "${kind}" now.` }),
    create: refuse,
    start: refuse,
    stop: refuse,
    delete: refuse,
    watch: async function* () {
      // No phones, no changes.
    },
    close: () => Promise.resolve(),
  };
}
