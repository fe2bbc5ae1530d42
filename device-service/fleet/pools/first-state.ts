import { newDeviceApps } from '../../devices/library/new-device-apps.js';
import type { Job } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { PoolDescription, PoolDocument } from '../../store/pools.js';
import type { FleetContext } from '../fleet-context.js';
import { phonesNow } from './plan-pool.js';

/**
 * Returns the state in which a pool makes the phone: its template and its apps. Undefined: the pool is gone, makes other phones by now, or
 * makes its phones from a model. Undefined also where the device itself was changed: its exit, settings, snapshots, recordings and history
 * are no part of a template, and the next caller must not get them. It is undefined as well where the pool has its number without this
 * phone, as the pool would delete it once it is restored. Throws where an app is not there any more.
 */
export async function firstState(
  context: FleetContext,
  device: DeviceDocument,
): Promise<Pick<Job, 'template' | 'apps'> | undefined> {
  const { accountId, pool } = device;
  const found = await context.pools.findByName(accountId, pool?.name ?? '');
  if (found === null || found._id !== pool?.id || found.version !== pool.version) return undefined;
  const { template: name, apps } = found.description;
  if (isChanged(device, found.description) || (await hasOwn(context, device))) return undefined;
  if (await hasItsNumber(context, found)) return undefined;
  const template = name === undefined ? null : await context.templates.findByName(accountId, name);
  if (template?.state !== 'ready') return undefined;
  return { template: template._id, ...(await newDeviceApps(context, accountId, apps, { start: true })) };
}

function isChanged(
  { exit, labels = [], conditions, idleStopS, timeline }: DeviceDocument,
  { network, labels: ofPool }: PoolDescription,
): boolean {
  if (conditions !== undefined || idleStopS !== undefined || timeline !== undefined) return true;
  const { type, country, timezone = exit.timezone } = network;
  const isOther = exit.type !== type || exit.country !== country || exit.timezone !== timezone;
  return isOther || labels.join('\n') !== ofPool.join('\n');
}

/** Returns whether the device has snapshots, recordings, shares, crashes, timeline or hand-overs of its last holder. */
async function hasOwn(
  { snapshots, recordings, shares, crashes, timeline }: FleetContext,
  { _id, pastHandovers = [] }: DeviceDocument,
): Promise<boolean> {
  if (pastHandovers.length > 0) return true;
  const counts = await Promise.all([
    snapshots.count(_id),
    recordings.count(_id, 1),
    shares.list(_id).then(({ length }) => length),
    crashes.count(_id, 1),
    timeline.findOfPhone(_id, 1).then(({ length }) => length),
  ]);
  return counts.some((count) => count > 0);
}

async function hasItsNumber(
  { devices, hostSilence, clock }: FleetContext,
  { _id, version, ready }: PoolDocument,
): Promise<boolean> {
  const now = phonesNow(await devices.pools.find(_id), clock.now(), await hostSilence.now());
  const counted = [...now.ready, ...now.starting].filter(({ pool }) => pool?.version === version);
  return counted.length >= ready;
}
