import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import { failureOf, JobFailure } from '../jobs/job-failure.js';
import type { WorkDone, WorkTask } from '../jobs/worker.js';
import { REFRESH_URL_MS, SEE_AGAIN_MS, SEE_TRIES } from '../limits.js';
import type { DeviceExit } from '../../store/device-exit.js';
import type { AddressPage, SeenAddress } from './address-page.js';
import { fetchAddress } from './check-proxy.js';
import type { PhoneView } from './see-from-phone.js';
import { WayOutError } from './way-out.js';
import type { NetworkContext } from './network-context.js';

/**
 * Does the work of job `network`: the phone's traffic takes another exit. The exit is tried from the host first, so that an exit that does
 * not work changes nothing. The job is done once the phone itself reaches the internet by the new exit and has its time zone. Both are
 * checked over ADB.
 *
 * One update of the device's document writes the new exit and the end of the job. So after a crash before it, the forwarder uses the old
 * exit at the next start, and the work is done again. Failed work puts the old exit back.
 */
export async function changeExit(
  parts: NetworkContext,
  call: Pick<WorkTask, 'device' | 'endpoint' | 'driver' | 'signal' | 'onProgress'>,
  exit: DeviceExit,
  /** Whether the caller chose no time zone, so that the page may name it. */
  zoneIsFree: boolean,
): Promise<WorkDone> {
  const { exits, pages, clock } = parts;
  const { device, signal, onProgress } = call;
  const upstream = exits.upstreamOf(device._id, exit);
  const page = await pages.pageFor(upstream);
  const found = await fetchAddress(parts, upstream, signal).catch((error: unknown) => {
    if (!(error instanceof WayOutError)) throw error;
    throw failed(`The new exit does not work: ${wayOutText(error)} The device keeps the exit it had.`);
  });
  onProgress(30);
  const placed = located(exit, found, zoneIsFree);
  return withOldExitOnFailure(parts, call, async () => {
    await switchTo(parts, call, placed);
    onProgress(60);
    let view: PhoneView | { fault: string } = { fault: 'it was not checked' };
    for (let tries = 0; tries < SEE_TRIES; tries++) {
      if (tries > 0) await clock.sleep(SEE_AGAIN_MS, signal);
      view = await parts.see(call.endpoint, page, signal);
      if (!('fault' in view) && view.timezone === placed.timezone) return done(parts, call, placed, view.seen);
    }
    const why = 'fault' in view ? view.fault : `its time zone is still ${view.timezone}`;
    throw failed(`The phone does not get out by the new exit (${why}). The device keeps the exit it had.`);
  });
}

/**
 * Does the work of job `rotate`: the exit stays the same, and its address changes. The job is done once the phone itself sees another
 * address than before. The operator's URL is called once by each run of this function. After a crash, the job runs again and calls the URL
 * again, so the address changes once more.
 */
export async function rotateExit(
  parts: NetworkContext,
  call: Pick<WorkTask, 'device' | 'endpoint' | 'driver' | 'signal' | 'onProgress'>,
): Promise<WorkDone> {
  const { exits, pages, clock, log } = parts;
  const { device, signal, onProgress } = call;
  const page = await pages.pageFor(exits.upstreamOf(device._id, device.exit));
  if (!page.showsAddress) {
    throw failed(
      'Nothing shows which address the exit has, so a new one could not be noticed. The operator has to set ADDRESS_URL.',
    );
  }
  const before = await addressBefore(parts, call, page);
  onProgress(20);
  return withOldExitOnFailure(parts, call, async () => {
    for (let tries = 0; ; tries++) {
      const { exit, refreshUrl } = exits.rotated(device.exit);
      // A new exit tag may lead to the same address by chance, so each round of the loop takes another tag. A URL is called only once,
      // since each call cuts the exit off for a while.
      if (refreshUrl === undefined) await switchTo(parts, call, exit);
      else if (tries === 0) await refresh(parts, refreshUrl, signal);
      onProgress(Math.min(30 + tries * 5, 90));
      const view = await parts.see(call.endpoint, await pages.pageFor(exits.upstreamOf(device._id, exit)), signal);
      if (!('fault' in view) && view.seen !== undefined && view.seen.address !== before) {
        return done(parts, call, exit, view.seen);
      }
      log.debug({ device: device.name, tries }, 'the phone sees no new address yet');
      await clock.sleep(SEE_AGAIN_MS, signal);
    }
  });
}

/** Returns the address in the device's record, or else the one that its phone sees now. */
async function addressBefore(
  { see }: NetworkContext,
  { device, endpoint, signal }: Pick<WorkTask, 'device' | 'endpoint' | 'signal'>,
  page: AddressPage,
): Promise<string | undefined> {
  if (device.exit.address !== undefined) return device.exit.address;
  const view = await see(endpoint, page, signal);
  return 'fault' in view ? undefined : view.seen?.address;
}

async function refresh({ clock, refresh: call }: NetworkContext, url: string, signal: AbortSignal): Promise<void> {
  try {
    await within(hostLimit(clock, REFRESH_URL_MS, signal), (limited) => call(url, limited));
  } catch (error) {
    signal.throwIfAborted();
    // The log leaves out the URL: it is the operator's, and may hold a password.
    throw failed("The exit's operator interface did not give a new address. Try again later.", error);
  }
}

async function switchTo(
  { forwarders }: NetworkContext,
  { device, driver, signal }: Pick<WorkTask, 'device' | 'driver' | 'signal'>,
  exit: DeviceExit,
): Promise<void> {
  await forwarders.open(device._id, exit);
  await driver.setExit?.(device._id, forwarders.phoneExit(device._id, exit), { signal });
}

/** Gives the phone the exit with the address that was seen, if the address is new. Returns the end of the job. */
async function done(
  parts: NetworkContext,
  call: Pick<WorkTask, 'device' | 'driver' | 'signal'>,
  exit: DeviceExit,
  seen: SeenAddress | undefined,
): Promise<WorkDone> {
  const whole = seen === undefined ? exit : { ...exit, address: seen.address };
  if (seen !== undefined && seen.address !== exit.address) await switchTo(parts, call, whole);
  return { change: { exit: whole }, ...(seen !== undefined && { result: { address: seen.address } }) };
}

/**
 * Puts the old exit back when the work itself fails. When anything else ends the job (its time limit, a phone that stopped), followExit
 * puts it back.
 */
async function withOldExitOnFailure(
  parts: NetworkContext,
  call: Pick<WorkTask, 'device' | 'driver' | 'signal'>,
  work: () => Promise<WorkDone>,
): Promise<WorkDone> {
  try {
    return await work();
  } catch (error) {
    if (failureOf(error) !== undefined) await switchTo(parts, call, call.device.exit);
    throw error;
  }
}

function located(exit: DeviceExit, found: SeenAddress | undefined, zoneIsFree: boolean): DeviceExit {
  if (exit.type !== 'custom' || found === undefined) return exit;
  const { country, timezone } = found;
  return {
    ...exit,
    ...(country !== undefined && { country }),
    ...(zoneIsFree && timezone !== undefined && { timezone }),
  };
}

/** Returns the text for customers. It has no details about ports, see check-proxy.ts. */
function wayOutText({ fault }: WayOutError): string {
  switch (fault) {
    case 'none':
      return 'it is not offered any more.';
    case 'login':
      return 'the proxy refused the user name or the password.';
    case 'target':
      return 'the proxy responds, but did not reach the internet.';
    default:
      return 'its proxy could not be reached, or does not work as a proxy of this kind.';
  }
}

function failed(message: string, cause?: unknown): JobFailure {
  return new JobFailure({ error: 'unavailable', message }, undefined, { cause });
}
