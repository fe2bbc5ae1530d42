import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import type { Clock } from '../../kit/clock.js';
import { FollowedFile } from '../../kit/followed-file.js';
import type { Log } from '../../kit/log.js';
import type { SecretBox } from '../../kit/secret-box.js';
import type { EndedJob } from '../converge/converge.js';
import type { PrepareExit } from '../converge/take-step.js';
import type { Workers } from '../jobs/worker.js';
import type { OpenLink } from '../phones/open-link.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import { shownExit } from '../store/device-exit.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import { AddressPages } from './address-page.js';
import { changeExit, rotateExit } from './change-exit.js';
import { ProxyChecks } from './check-proxy.js';
import { Exits } from './exits.js';
import { type ListedExit, parseExitsFile } from './exits-file.js';
import { Forwarders } from './forwarders.js';
import { seeThroughAdb } from './see-from-phone.js';
import { WayOut } from './way-out.js';

export interface NetworkConfig {
  /** The operator's exits. Absent: simulated ones. */
  exitsFile?: string | undefined;
  /** A page that shows its client the address of the request. Absent: see AddressPages. */
  addressUrl?: string | undefined;
  /** Authorities that https proxies are held to. Absent: the system's. */
  proxyCa?: string;
}

export interface NetworkOptions extends NetworkConfig {
  /** Where forwarders' sockets are, in the data folder. Absent: in a folder that lasts until `close`, for tests. */
  directory: string | undefined;
  devices: DeviceStore;
  drivers: PhoneDrivers;
  hostId: string;
  openLink: OpenLink;
  allowPrivateTargets: boolean;
  secretBox: SecretBox | undefined;
  clock: Clock;
  log: Log;
}

/** Everything about the ways out of this host's phones. */
export interface Network {
  exits: Exits;
  checks: ProxyChecks;
  way: WayOut;
  workers: Pick<Workers, 'network' | 'rotate'>;
  prepareExit: PrepareExit;
  /** Makes the forwarders of all phones of this host listen, as running ones may be waiting for them. Before jobs go on. */
  start(): Promise<void>;
  /** To be called with each job that has ended. */
  onEnded(ended: EndedJob): void;
  close(): Promise<void>;
}

/** Throws FileFault when EXITS_FILE cannot be used. */
export function openNetwork(options: NetworkOptions): Network {
  const { exitsFile: path, devices, drivers, clock, log } = options;
  const file =
    path === undefined
      ? undefined
      : new FollowedFile<readonly ListedExit[]>({
          setting: 'EXITS_FILE',
          path,
          parse: parseExitsFile,
          onChange: () => void forwarders.exitsChanged(),
          clock,
          log,
        });
  const exits = new Exits(() => file?.value, options.secretBox);
  const way = new WayOut(options);
  const { addressUrl, allowPrivateTargets } = options;
  const pages = new AddressPages({ addressUrl, allowPrivateTargets, log });
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'cloudphone-exits-'));
  const forwarders = new Forwarders({ directory, exits, way, log });
  const see = seeThroughAdb(options.openLink);
  const parts = { exits, forwarders, way, pages, see, refresh: callRefreshUrl, clock, log };

  const prepareExit: PrepareExit = async ({ _id, exit, driver }) => {
    if (!drivers.of({ driver }).capabilities().exit) return shownExit(exit);
    await forwarders.open(_id, exit);
    return forwarders.phoneExit(_id, exit);
  };

  /** Makes the forwarder and the phone follow the device's document. */
  const follow = async (device: DeviceDocument): Promise<void> => {
    const exit = await prepareExit(device);
    await drivers.of(device).setExit?.(device._id, exit);
  };

  const lacksAddress = ({ type, source, address }: DeviceDocument['exit']): boolean =>
    (source !== undefined || type === 'custom') && address === undefined;

  const learnAddress = async ({ _id }: DeviceDocument): Promise<void> => {
    const device = await devices.findById(_id);
    if (device?.endpoint === undefined || !lacksAddress(device.exit)) return;
    const page = await pages.pageFor(exits.upstreamOf(_id, device.exit));
    const { signal } = new AbortController();
    const view = page.showsAddress ? await see(device.endpoint, page, signal) : undefined;
    if (view === undefined || 'fault' in view || view.seen === undefined) return;
    await devices.noteAddress(device, view.seen.address);
  };

  return {
    exits,
    checks: new ProxyChecks({ way, pages, clock }),
    way,
    workers: {
      network: ({ work, ...task }) => changeExit(parts, task, work.exit, work.zoneIsFree),
      rotate: (task) => rotateExit(parts, task),
    },
    prepareExit,
    start: async () => {
      const known = await devices.ofHost(options.hostId).find();
      await Promise.all(known.map(prepareExit));
    },
    onEnded: ({ device, job, change }) => {
      const fails = (error: unknown): void =>
        log.warn({ phone: device._id, err: error }, 'could not follow up an exit');
      if (change.gone === true) forwarders.close(device._id).catch(fails);
      // Without success: an earlier exit is put back. A crash before that leaves the clock's zone, until the phone's next start.
      else if ((job.kind === 'network' || job.kind === 'rotate') && job.outcome?.state === 'failed') {
        follow(device).catch(fails);
      } else if (change.state === 'running' && lacksAddress(change.exit ?? device.exit)) {
        learnAddress(device).catch(fails);
      }
    },
    close: async () => {
      file?.close();
      await pages.close();
      await forwarders.closeAll();
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The operator's own URL, so it may be in the operator's network. Redirects are not followed. */
async function callRefreshUrl(url: string, signal: AbortSignal): Promise<void> {
  const { statusCode, body } = await request(url, { signal });
  // The body is not read: the phone shows whether the address has changed.
  body.on('error', () => undefined).destroy();
  if (statusCode < 200 || statusCode > 299) throw new Error(`the URL for a new address responded with ${statusCode}`);
}
