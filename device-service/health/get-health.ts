import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { HealthStatus } from '../../proto/gen/cloudphone/device/v1/health_service_pb.js';
import { seenBy } from '../access/visibility.js';
import type { DeviceStore } from '../store/devices.js';

/** Devices in one response at the most; far above what an account has. */
const MOST_DEVICES = 10_000;

/** Health of the caller's devices, those with a problem first. */
export async function getHealth(devices: DeviceStore, caller: Caller) {
  const seen = seenBy(caller);
  const found = await devices.list({
    accountId: caller.accountId,
    limit: MOST_DEVICES,
    ...(seen !== undefined && { seen }),
  });
  const health = found.map(({ name, problem }) => ({
    device: name,
    status: problem === undefined ? HealthStatus.OK : HealthStatus.PROBLEM,
    ...(problem !== undefined && {
      problem: { kind: problem.kind, message: problem.message, since: timestampFromDate(problem.since) },
    }),
  }));
  health.sort((a, b) => b.status - a.status || (a.device < b.device ? -1 : 1));
  return { status: health[0]?.status ?? HealthStatus.OK, devices: health };
}
