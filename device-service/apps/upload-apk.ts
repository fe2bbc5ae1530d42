import { createClient } from '@connectrpc/connect';
import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import type { HostSpace } from '../../kit/host-space.js';
import { createId } from '../../kit/ids.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import { ApkError } from '../../phone/apk/apk-error.js';
import type { AppReader } from '../../phone/apk/app-reader.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AppService, type UploadApkRequest } from '../../proto/gen/cloudphone/device/v1/app_service_pb.js';
import type { Job } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { acceptJob, assertMayBegin, type JobParts } from '../jobs/accept-job.js';
import { jobOf } from '../jobs/job-message.js';
import { UPLOAD_MAX_BYTES, UPLOADS_OF_ACCOUNT, UPLOADS_OF_ALL } from '../limits.js';
import { noteUse } from '../devices/idle-stop.js';
import { endpointOf } from '../phones/locate-phone.js';
import type { DeviceDocument } from '../store/devices.js';
import type { UnderWay } from '../../kit/under-way.js';
import type { AppFolders } from './app-folders.js';
import { receiveFile } from './receive-file.js';
import { withRoom } from './with-room.js';

export interface UploadParts extends JobParts {
  folders: AppFolders;
  appReader: AppReader;
  /** Each may take gigabytes of this process's disk. */
  uploads: UnderWay;
  /** The room on that disk. */
  uploadSpace: HostSpace;
}

/**
 * Receives the caller's own app for a device, checks it, and accepts its install. The file is received where the phone is, so that it
 * need not move again: by this process, or by that of the other host that it is passed on to.
 *
 * A crash before the job is accepted leaves a folder without a job, which the next start removes; after it, the job and its file.
 */
export async function uploadApk(
  parts: UploadParts,
  caller: Caller,
  messages: AsyncIterable<UploadApkRequest>,
  call: Call,
): Promise<Job | undefined> {
  const iterator = messages[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true)
    throw new ApiError('bad_request', 'The upload is empty: its first message names the device.');
  const { name, contentType } = first.value;
  const device = await findVisibleDevice(parts.devices, caller, name);
  endpointOf(device);
  assertMayBegin(device, 'install');
  await noteUse(parts, device);
  const rest = { [Symbol.asyncIterator]: () => iterator };
  if (!parts.hosts.isOwn(device.hostId)) return passOn(parts, device, { first: first.value, rest }, call);
  assertRoom(parts.uploads, caller.accountId);
  return parts.uploads.run(caller.accountId, async () => {
    const id = createId('job', parts.clock.now());
    const receive = async (): Promise<DeviceDocument> => {
      const to = parts.folders.upload(id);
      const body = bytesOf(first.value, rest);
      const { uploadSpace: hostSpace } = parts;
      await receiveFile(body, { contentType, to, maxBytes: UPLOAD_MAX_BYTES, hostSpace, signal: call.signal });
      const packageName = await packageIn(parts.appReader, to, {
        unpackTo: parts.folders.unpacked(id),
        uploadOf: caller.accountId,
      });
      const work = { kind: 'install' as const, package: packageName, from: { upload: true as const } };
      return acceptJob(parts, device, { id, kind: 'install', requestedBy: caller.keyId, work });
    };
    return jobOf(await parts.folders.hold(id, receive, { keep: true }));
  });
}

/** Throws rate_limited when the account has too many uploads under way, and unavailable when all together have. */
function assertRoom(uploads: UnderWay, accountId: string): void {
  const own = uploads.of(accountId);
  if (own >= UPLOADS_OF_ACCOUNT) {
    const message = `${own} uploads of this account are under way. Send this one when they are through.`;
    throw new ApiError('rate_limited', message, { retryAfterS: 10 });
  }
  if (uploads.all >= UPLOADS_OF_ALL) {
    throw new ApiError('unavailable', 'Too many uploads are under way just now. Try again.', { retryAfterS: 10 });
  }
}

async function passOn(
  { hosts }: UploadParts,
  device: DeviceDocument,
  { first, rest }: { first: UploadApkRequest; rest: AsyncIterable<UploadApkRequest> },
  call: Call,
): Promise<Job | undefined> {
  const way = await hosts.wayTo(device.hostId);
  if (way === undefined)
    throw new ApiError('unavailable', `The host of "${device.name}" cannot be reached just now. Try again.`);
  async function* all(): AsyncIterable<UploadApkRequest> {
    yield first;
    yield* rest;
  }
  return (await createClient(AppService, way).uploadApk(all(), rpcOptions(call))).job;
}

async function* bytesOf(first: UploadApkRequest, rest: AsyncIterable<UploadApkRequest>): AsyncIterable<Uint8Array> {
  if (first.data.length > 0) yield first.data;
  for await (const { data } of rest) if (data.length > 0) yield data;
}

async function packageIn(
  appReader: AppReader,
  file: string,
  options: { unpackTo: string; uploadOf: string },
): Promise<string> {
  try {
    return (await withRoom(() => appReader.readPackage(file, { ...options, leavesRoom: true }))).base.package;
  } catch (error) {
    if (!(error instanceof ApkError)) throw error;
    throw new ApiError('bad_request', `The file is not an app that can be installed. ${error.code}: ${error.message}`);
  }
}
