import { createClient } from '@connectrpc/connect';
import type { Call } from '../../../kit/call/call.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { LeasedAway } from '../../../kit/errors/leased-away.js';
import { createId } from '../../../kit/text/ids.js';
import { whileAllowed } from '../../../kit/rpc/while-allowed.js';
import { rpcOptions } from '../../../kit/rpc/call-crossing.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AppService, type UploadApkRequest } from '../../../proto/gen/cloudphone/device/v1/app_service_pb.js';
import type { Job } from '../../../proto/gen/cloudphone/device/v1/job_pb.js';
import { findDeviceToChange, refusalOf } from '../../accounts/callers/leased.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import { acceptJob, assertMayBegin } from '../jobs/accept-job.js';
import { jobOf } from '../../record/job-message.js';
import { MAX_UPLOAD_BYTES } from '../limits.js';
import { noteUse } from '../phones/note-use.js';
import { endpointOf } from '../phones/locate-phone.js';
import type { DeviceDocument } from '../../store/devices.js';
import { receiveFile } from '../uploads/receive-file.js';
import { refusingFaults } from '../uploads/refused-app.js';
import { assertUploadRoom, bytesOf } from '../uploads/upload-parts.js';
import { readForPhone, type ReadForPhone } from './read-for-phone.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Receives the caller's own app for a device, checks it, and accepts its install. The host of the phone receives the file, so that the file
 * moves only once. A process on another host passes the request on to the phone's host.
 *
 * The upload is a use of the phone, and ends soon after the caller may no longer change the device.
 *
 * A crash before the job is accepted leaves a folder without a job, which the next start removes. A crash after it leaves the job and its
 * file.
 */
export async function uploadApk(
  context: DevicesContext,
  caller: Caller,
  messages: AsyncIterable<UploadApkRequest>,
  call: Call,
): Promise<Job | undefined> {
  const iterator = messages[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true)
    throw new ApiError('bad_request', 'The upload is empty: its first message names the device.');
  const { name, contentType } = first.value;
  const device = await findDeviceToChange(context.devices, caller, name);
  const endpoint = endpointOf(device);
  assertMayBegin(device, 'install');
  await noteUse(context, device);
  /** Returns the device as it is now, if the caller may still change it. It notes the use of the phone, which is then not idle. */
  const mayGoOn = async (): Promise<DeviceDocument> => {
    const now = call.caller ?? caller;
    const found = await findVisibleDevice(context.devices, now, name);
    const refusal = refusalOf(found, now);
    if (refusal !== undefined) throw new LeasedAway(refusal);
    if (found._id !== device._id) throw new ApiError('not_found', `"${name}" is another device now. Upload again.`);
    await noteUse(context, found);
    return found;
  };
  const rest = whileAllowed({ [Symbol.asyncIterator]: () => iterator }, mayGoOn, context.clock, call.signal);
  if (!context.dispatch.isOwn(device.hostId)) return passOn(context, device, { first: first.value, rest }, call);
  assertUploadRoom(context.uploads, caller.accountId);
  return context.uploads.run(caller.accountId, async () => {
    const id = createId('job', context.clock.now());
    const receive = async (): Promise<DeviceDocument> => {
      const to = context.appFolders.upload(id);
      const body = bytesOf(first.value, rest);
      const { uploadSpace: hostSpace } = context;
      await receiveFile(body, { contentType, to, maxBytes: MAX_UPLOAD_BYTES, hostSpace, signal: call.signal });
      const packageName = await packageIn(context, to, {
        endpoint,
        signal: call.signal,
        unpackTo: context.appFolders.unpacked(id),
        uploadOf: caller.accountId,
      });
      const work = { kind: 'install' as const, package: packageName, from: { upload: true as const } };
      return acceptJob(context, await mayGoOn(), { id, kind: 'install', requestedBy: caller.keyId, work });
    };
    return jobOf(await context.appFolders.hold(id, receive, { keep: true }));
  });
}

async function passOn(
  { dispatch }: DevicesContext,
  device: DeviceDocument,
  { first, rest }: { first: UploadApkRequest; rest: AsyncIterable<UploadApkRequest> },
  call: Call,
): Promise<Job | undefined> {
  const way = await dispatch.wayTo(device.hostId);
  if (way === undefined)
    throw new ApiError('unavailable', `The host of "${device.name}" cannot be reached just now. Try again.`);
  async function* all(): AsyncIterable<UploadApkRequest> {
    yield first;
    yield* rest;
  }
  return (await createClient(AppService, way).uploadApk(all(), rpcOptions(call))).job;
}

/** Reads the package, so that a file that is none, and a bundle without APKs for the phone, are refused before there is a job. */
async function packageIn(context: DevicesContext, file: string, options: ReadForPhone): Promise<string> {
  return (await refusingFaults(() => readForPhone(context, file, options))).base.package;
}
