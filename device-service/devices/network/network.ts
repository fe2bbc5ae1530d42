import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import type { Clock } from '../../../kit/async/clock.js';
import { FollowedFile } from '../../../kit/files/followed-file.js';
import type { Log } from '../../../kit/log/log.js';
import type { SecretBox } from '../../../kit/text/secret-box.js';
import type { JobEndSubscriber } from '../../record/ended-job.js';
import type { Workers } from '../jobs/worker.js';
import type { OpenLink } from '../phones/open-link.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import { type DeviceExit, shownExit } from '../../store/device-exit.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';
import { AddressPages } from './address-page.js';
import { changeExit, rotateExit } from './change-exit.js';
import { ProxyChecks } from './check-proxy.js';
import { Exits } from './exits.js';
import { type ListedExit, parseExitsFile } from './exits-file.js';
import { followExit } from './follow-exit.js';
import { Forwarders } from './forwarders.js';
import type { HostPlace } from './host-exit.js';
import type { NetworkContext, PrepareExit } from './network-context.js';
import { seeThroughAdb } from './see-from-phone.js';
import { WayOut } from './way-out.js';

export interface NetworkConfig {
  /** The operator's exits. Absent: simulated ones for simulated phones, the host's own connection for others. */
  exitsFile?: string | undefined;
  /** A page that shows its client the address of the request. Absent: see AddressPages. */
  addressUrl?: string | undefined;
  /** Where the hosts are. Absent: not known. */
  hostPlace?: HostPlace;
  /** Certificates of authorities by which https proxies are verified. Absent: the system's. */
  proxyCa?: string;
}

export interface NetworkOptions extends NetworkConfig {
  /** The folder of the forwarders' sockets, in the data folder. Absent: a folder that lasts until `close`, for tests. */
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

/** The ways of this host's phones to the internet: exits, forwarders and checks. */
export interface Network {
  exits: Exits;
  proxyChecks: ProxyChecks;
  way: WayOut;
  workers: Pick<Workers, 'network' | 'rotate'>;
  prepareExit: PrepareExit;
  /**
   * Makes the forwarders of all phones of this host listen, as running phones may be waiting for them. Must be called before jobs go on.
   */
  start(): Promise<void>;
  /** Follows up the ends of jobs. */
  jobEnd: JobEndSubscriber;
  close(): Promise<void>;
}

/** Opens the network. Throws FileFault when EXITS_FILE cannot be used. */
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
  const exits = new Exits(() => file?.value, options.secretBox, options.hostPlace);
  const { addressUrl, allowPrivateTargets, proxyCa } = options;
  const way = new WayOut(clock, { allowPrivateTargets }, proxyCa);
  const pages = new AddressPages({ addressUrl, allowPrivateTargets, log });
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'cloudphone-exits-'));
  const forwarders = new Forwarders({ directory, exits, way, log });
  const see = seeThroughAdb(options.openLink);
  const context: NetworkContext = { exits, forwarders, way, pages, see, refresh: callRefreshUrl, clock, log };

  /**
   * Replaces a simulated exit of a phone that is not simulated in the device's record. A crash before the update leaves the record as it
   * was, and the next start of the service or of the phone corrects it.
   */
  const correctedExit = async (device: DeviceDocument): Promise<DeviceExit> => {
    const exit = exits.corrected(device);
    if (exit === undefined) return device.exit;
    if (await devices.replaceExit(device, exit)) {
      const { name, exit: before } = device;
      log.warn({ device: name, before: shownExit(before), exit }, "the exit of a phone is the host's own connection");
    }
    return exit;
  };

  const prepareExit: PrepareExit = async (device) => {
    const { _id, driver } = device;
    const exit = await correctedExit(device);
    if (!drivers.of({ driver }).capabilities().exit) return shownExit(exit);
    await forwarders.open(_id, exit);
    return forwarders.phoneExit(_id, exit);
  };

  return {
    exits,
    proxyChecks: new ProxyChecks(context),
    way,
    workers: {
      network: ({ work, ...task }) => {
        // An earlier version of the service may have accepted the job.
        const exit = exits.corrected({ driver: task.device.driver, exit: work.exit }) ?? work.exit;
        return changeExit(context, task, exit, work.zoneIsFree);
      },
      rotate: (task) => rotateExit(context, task),
    },
    prepareExit,
    start: async () => {
      const known = await devices.ofHost(options.hostId).find();
      await Promise.all(known.map(prepareExit));
    },
    jobEnd: followExit(context, { devices, drivers, prepareExit }),
    close: async () => {
      file?.close();
      await pages.close();
      await forwarders.closeAll();
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Calls the operator's own URL, which may be in the operator's network. Redirects are not followed. */
async function callRefreshUrl(url: string, signal: AbortSignal): Promise<void> {
  const { statusCode, body } = await request(url, { signal });
  // The body is not read: the phone shows whether the address has changed.
  body.on('error', () => undefined).destroy();
  if (statusCode < 200 || statusCode > 299) throw new Error(`the URL for a new address responded with ${statusCode}`);
}
