import { callerOf } from '../../kit/rpc/context.js';
import { implement, implementing, type RpcService } from '../../kit/rpc/rpc-service.js';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyService } from '../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { SessionService } from '../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { LedgerService } from '../../proto/gen/cloudphone/billing/v1/ledger_service_pb.js';
import { PriceService } from '../../proto/gen/cloudphone/billing/v1/price_service_pb.js';
import { TopupService } from '../../proto/gen/cloudphone/billing/v1/topup_service_pb.js';
import { UsageService } from '../../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { AppService } from '../../proto/gen/cloudphone/device/v1/app_service_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { GroupService } from '../../proto/gen/cloudphone/device/v1/group_service_pb.js';
import { HostService } from '../../proto/gen/cloudphone/device/v1/host_service_pb.js';
import { HealthService } from '../../proto/gen/cloudphone/device/v1/health_service_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { ModelService } from '../../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { NetworkService } from '../../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { ScheduleService } from '../../proto/gen/cloudphone/device/v1/schedule_service_pb.js';
import { ShareService } from '../../proto/gen/cloudphone/device/v1/share_service_pb.js';
import { SnapshotService } from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { TimelineService } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { getHealth } from '../health/get-health.js';
import { accessRpc } from './access-rpc.js';
import { accountRpc, sessionRpc } from './account-rpc.js';
import { adminRpc } from './admin-rpc.js';
import { modelRpc } from './catalogue-rpc.js';
import { appRpc } from './app-rpc.js';
import { ledgerRpc, priceRpc } from './billing-rpc.js';
import { deviceRpc } from './device-rpc.js';
import { groupRpc } from './group-rpc.js';
import { hostRpc } from './host-rpc.js';
import { jobRpc } from './job-rpc.js';
import { keyRpc } from './key-rpc.js';
import { networkRpc } from './network-rpc.js';
import { scheduleRpc } from './schedule-rpc.js';
import { snapshotRpc } from './snapshot-rpc.js';
import { shareRpc } from './share-rpc.js';
import { timelineRpc } from './timeline-rpc.js';
import { topupRpc } from './topup-rpc.js';
import { usageRpc } from './usage-rpc.js';
import { phoneRpc } from './phone-rpc.js';

type RpcParts = Parameters<typeof deviceRpc>[0] &
  Parameters<typeof jobRpc>[0] &
  Parameters<typeof groupRpc>[0] &
  Parameters<typeof scheduleRpc>[0] &
  Parameters<typeof appRpc>[0] &
  Parameters<typeof snapshotRpc>[0] &
  Parameters<typeof timelineRpc>[0] &
  Parameters<typeof shareRpc>[0] &
  Parameters<typeof networkRpc>[0] &
  Parameters<typeof phoneRpc>[0] &
  Parameters<typeof hostRpc>[0] &
  Parameters<typeof accessRpc>[0] &
  Parameters<typeof accountRpc>[0] &
  Parameters<typeof keyRpc>[0] &
  Parameters<typeof adminRpc>[0] &
  Parameters<typeof usageRpc>[0] &
  Parameters<typeof priceRpc>[0] &
  Parameters<typeof ledgerRpc>[0] &
  Parameters<typeof topupRpc>[0];

/** All contracts of the device service with their implementations. */
export function deviceServiceRpc(parts: RpcParts): Pick<RpcService, 'contracts' | 'routes'> {
  return implementing(
    implement(DeviceService, deviceRpc(parts)),
    implement(JobService, jobRpc(parts)),
    implement(GroupService, groupRpc(parts)),
    implement(ScheduleService, scheduleRpc(parts)),
    implement(AppService, appRpc(parts)),
    implement(SnapshotService, snapshotRpc(parts)),
    implement(TimelineService, timelineRpc(parts)),
    implement(ShareService, shareRpc(parts)),
    implement(ModelService, modelRpc(parts.places)),
    implement(HealthService, {
      getHealth: (request, context) => getHealth(parts.devices, callerOf(context), request),
    }),
    implement(NetworkService, networkRpc(parts)),
    implement(PhoneService, phoneRpc(parts)),
    implement(HostService, hostRpc(parts)),
    implement(AccessService, accessRpc(parts)),
    implement(AccountService, accountRpc(parts)),
    implement(SessionService, sessionRpc(parts)),
    implement(KeyService, keyRpc(parts)),
    implement(AdminService, adminRpc(parts)),
    implement(UsageService, usageRpc(parts)),
    implement(TopupService, topupRpc(parts)),
    implement(PriceService, priceRpc(parts)),
    implement(LedgerService, ledgerRpc(parts)),
  );
}
