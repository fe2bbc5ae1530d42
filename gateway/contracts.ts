import type { Transport } from '@connectrpc/connect';
import { AuditService } from '../proto/gen/cloudphone/access/v1/audit_service_pb.js';
import { AccountService } from '../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { KeyService } from '../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { MailService } from '../proto/gen/cloudphone/access/v1/mail_service_pb.js';
import { InvitationService, MemberService } from '../proto/gen/cloudphone/access/v1/member_service_pb.js';
import { OidcService } from '../proto/gen/cloudphone/access/v1/oidc_service_pb.js';
import { SecondFactorService } from '../proto/gen/cloudphone/access/v1/second_factor_service_pb.js';
import { SessionService } from '../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { LedgerService } from '../proto/gen/cloudphone/billing/v1/ledger_service_pb.js';
import { PriceService } from '../proto/gen/cloudphone/billing/v1/price_service_pb.js';
import { TopupService } from '../proto/gen/cloudphone/billing/v1/topup_service_pb.js';
import { UsageService } from '../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { AppService } from '../proto/gen/cloudphone/device/v1/app_service_pb.js';
import { CrashService } from '../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import { DeviceService } from '../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { GroupService } from '../proto/gen/cloudphone/device/v1/group_service_pb.js';
import { HandoverService } from '../proto/gen/cloudphone/device/v1/handover_service_pb.js';
import { HealthService } from '../proto/gen/cloudphone/device/v1/health_service_pb.js';
import { JobService } from '../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { LeaseService } from '../proto/gen/cloudphone/device/v1/lease_service_pb.js';
import { LibraryService } from '../proto/gen/cloudphone/device/v1/library_service_pb.js';
import { ModelService } from '../proto/gen/cloudphone/device/v1/model_service_pb.js';
import { NetworkService } from '../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { PoolService } from '../proto/gen/cloudphone/device/v1/pool_service_pb.js';
import { RecordingService } from '../proto/gen/cloudphone/device/v1/recording_service_pb.js';
import { ScheduleService } from '../proto/gen/cloudphone/device/v1/schedule_service_pb.js';
import { ShareService } from '../proto/gen/cloudphone/device/v1/share_service_pb.js';
import { SnapshotService } from '../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { TemplateService } from '../proto/gen/cloudphone/device/v1/template_service_pb.js';
import { TimelineService } from '../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { RelayService } from '../proto/gen/cloudphone/relay/v1/relay_service_pb.js';
import { FileService } from '../proto/gen/cloudphone/screen/v1/file_service_pb.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { WebhookService } from '../proto/gen/cloudphone/webhook/v1/webhook_service_pb.js';
import type { Contract } from './routes/route.js';

/** Returns every contract that has REST routes, with the transport to the service that implements it. */
export function contractsOver(ways: {
  device: Transport;
  screen: Transport;
  relay: Transport;
  webhook: Transport;
}): Contract[] {
  return [
    ...[
      ...[DeviceService, JobService, AppService, LibraryService, ModelService, NetworkService, HealthService],
      ...[GroupService],
      ...[AccountService, SessionService, KeyService, UsageService, TopupService, PriceService],
      ...[LedgerService, ScheduleService, SnapshotService, TimelineService, ShareService, RecordingService],
      ...[LeaseService, PoolService, TemplateService, HandoverService, CrashService],
      ...[MemberService, InvitationService, SecondFactorService, AuditService, MailService, OidcService],
    ].map((descriptor) => ({
      descriptor,
      transport: ways.device,
    })),
    { descriptor: ScreenService, transport: ways.screen },
    { descriptor: FileService, transport: ways.screen },
    { descriptor: WebhookService, transport: ways.webhook },
    { descriptor: EventService, transport: ways.webhook },
    { descriptor: RelayService, transport: ways.relay },
  ];
}
