import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { KEY_RATE } from '../../kit/net/key-rate.js';
import { createId } from '../../kit/text/ids.js';
import type { PeriodicTask } from '../../kit/ops/periodic-tasks.js';
import type { Auditor } from '../../kit/rpc/audit-calls.js';
import type { Authenticate } from '../../kit/rpc/caller.js';
import { CALLER_TTL_MS, CallerCache } from '../../kit/rpc/caller-cache.js';
import { type Implementation, implement } from '../../kit/rpc/rpc-service.js';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AuditService } from '../../proto/gen/cloudphone/access/v1/audit_service_pb.js';
import { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { KeyService } from '../../proto/gen/cloudphone/access/v1/key_service_pb.js';
import { MailService } from '../../proto/gen/cloudphone/access/v1/mail_service_pb.js';
import { InvitationService, MemberService } from '../../proto/gen/cloudphone/access/v1/member_service_pb.js';
import { OidcService } from '../../proto/gen/cloudphone/access/v1/oidc_service_pb.js';
import { SecondFactorService } from '../../proto/gen/cloudphone/access/v1/second_factor_service_pb.js';
import { SessionService } from '../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { LedgerService } from '../../proto/gen/cloudphone/billing/v1/ledger_service_pb.js';
import { PriceService } from '../../proto/gen/cloudphone/billing/v1/price_service_pb.js';
import { TopupService } from '../../proto/gen/cloudphone/billing/v1/topup_service_pb.js';
import { UsageService } from '../../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { ShareService } from '../../proto/gen/cloudphone/device/v1/share_service_pb.js';
import type { SecretBox } from '../../kit/text/secret-box.js';
import type { JobEndSubscriber } from '../record/ended-job.js';
import type { DeviceDocument } from '../store/devices.js';
import type { HostOutage } from '../store/hosts.js';
import type { Stores } from '../store/stores.js';
import type { AccountsContext } from './accounts-context.js';
import { AuditTrail } from './audit/audit-trail.js';
import { auditObject } from './audit/entry-message.js';
import { recordCalls } from './audit/record-calls.js';
import { DEFAULT_AUDIT_DAYS, removeOldEntries } from './audit/remove-old-entries.js';
import { DailyUsage } from './billing/daily-usage.js';
import { Ledger } from './billing/ledger.js';
import { DEFAULT_PRICES, type Prices } from './billing/prices.js';
import { authenticateWith } from './callers/authenticate.js';
import { LastUse } from './callers/last-use.js';
import { BALANCE_EVERY_MS } from './mail/limits.js';
import { notifyLowBalances } from './mail-flows/notify-low-balances.js';
import { type MailOptions, openMail } from './mail-flows/open-mail.js';
import { removeShares } from './job-ends/remove-shares.js';
import { confirmSession } from './oidc/confirm-session.js';
import { openOidc } from './oidc/oidc.js';
import type { OidcConfig } from './oidc/oidc-config.js';
import { Passwords } from './people/passwords.js';
import { Throttle } from './people/throttle.js';
import { Quotas, type QuotaSettings } from './quotas/quotas.js';
import { auditRpc } from './rpc/audit-rpc.js';
import { accessRpc } from './rpc/access-rpc.js';
import { accountRpc } from './rpc/account-rpc.js';
import { invitationRpc, memberRpc } from './rpc/member-rpc.js';
import { oidcRpc } from './rpc/oidc-rpc.js';
import { mailRpc } from './rpc/mail-rpc.js';
import { sessionRpc } from './rpc/session-rpc.js';
import { ledgerRpc, priceRpc } from './rpc/billing-rpc.js';
import { keyRpc } from './rpc/key-rpc.js';
import { secondFactorRpc } from './rpc/second-factor-rpc.js';
import { shareRpc } from './rpc/share-rpc.js';
import { topupRpc } from './rpc/topup-rpc.js';
import { usageRpc } from './rpc/usage-rpc.js';
import type { Payments } from './topups/payments.js';

export interface AccountsOptions extends MailOptions {
  stores: Stores;
  /** The machine whose phones this instance drives. */
  hostId: string;
  /** Returns whether a device's phone on this host may have stopped without a record of it. */
  isDoubtful: (device: DeviceDocument) => boolean;
  /** Returns the times in which the phones of this host could not be stopped. */
  outages: () => readonly HostOutage[];
  /** Whether anyone may make an account. Absent: yes. */
  signUpOpen?: boolean;
  /** Whether people may sign in by password. Absent: yes. */
  passwordSignIn?: boolean;
  /** The identity provider. Absent: there is none. */
  oidc?: OidcConfig | undefined;
  /** Called with the e-mail of an account after its password was replaced. Absent: nobody is notified. */
  onPassword?: (email: string) => void;
  /** Whether webhooks may go to http and to private addresses. Absent: no. */
  allowPrivateTargets?: boolean;
  /** The most requests of a key in a minute. Absent: KEY_RATE. */
  maxKeyRequests?: number;
  /** What an account may have at most. Absent: no bound. */
  quotas?: QuotaSettings;
  /** What phones cost. Absent: DEFAULT_PRICES. */
  prices?: Prices;
  /** How long entries of audit logs are stored, days. Absent: DEFAULT_AUDIT_DAYS. */
  auditDays?: number;
  /** Called with each entry of an audit log as a line of JSON, for collectors. Absent: nobody is. */
  auditLine?: ((line: string) => void) | undefined;
  /** The payment provider for top-ups. Absent: only the operator adds credit. */
  payments?: Payments | undefined;
  /** Where browsers reach this service. Absent: there are no passkeys. */
  publicUrl?: URL | undefined;
  /** Encrypts secrets in the database. Absent: they are stored as they are. */
  secretBox?: SecretBox | undefined;
  clock: Clock;
  log: Log;
}

export interface Accounts {
  context: AccountsContext;
  /** Writes the audit log. */
  auditor: Auditor;
  /** Adds entries that are no calls of an account, such as commands of the operator. */
  trail: AuditTrail;
  /** Returns the caller that a header identifies. Each caller is remembered for a second. */
  authenticate: Authenticate;
  rpc: Implementation[];
  jobEnds: JobEndSubscriber[];
  maintenance: PeriodicTask[];
  close(): Promise<void>;
}

/** Opens the part of the service for accounts, keys, sessions and shares, with their rights, quotas and payments. */
export function openAccounts({
  stores,
  hostId,
  isDoubtful,
  outages,
  clock,
  log,
  ...options
}: AccountsOptions): Accounts {
  const dailyUsage = new DailyUsage(stores);
  const ledger = new Ledger(stores.entries, clock, (accountId, first, last) =>
    // Lines that are not summed yet are summed with the next lines, or by a report.
    dailyUsage
      .follow(accountId, first, last)
      .catch((error: unknown) => log.warn({ err: error }, 'could not sum the ledger of an account')),
  );
  const lastUse = new LastUse(stores, clock, log);
  const authenticate = authenticateWith({
    ...stores,
    lastUse,
    clock,
    confirmSession: (session, token) => confirmSession(context, context.oidc, session, token),
  });
  const callers = new CallerCache({ ask: authenticate, clock, ttlMs: CALLER_TTL_MS });
  const { auditLine } = options;
  const trail = new AuditTrail({
    store: stores.audit,
    writer: createId('wri', clock.now()),
    log,
    ...(auditLine !== undefined && {
      onEntry: (entry) =>
        auditLine(`${JSON.stringify({ audit: true, account: entry.accountId, ...auditObject(entry) })}\n`),
    }),
  });
  const auditor = recordCalls({ trail, clock, log });
  const mail = openMail(stores, { ...options, clock, log });
  const context: AccountsContext = {
    ...stores,
    ledger,
    dailyUsage,
    prices: options.prices ?? DEFAULT_PRICES,
    quotas: new Quotas(stores, clock, options.quotas ?? { devices: 0, storageBytes: 0 }),
    payments: options.payments,
    mailQueue: mail.queue,
    mailServer: options.mailServer,
    lastUse,
    passwords: new Passwords(),
    throttle: new Throttle(clock),
    publicUrl: options.publicUrl,
    secretBox: options.secretBox,
    signUpOpen: options.signUpOpen ?? true,
    passwordSignIn: options.passwordSignIn ?? true,
    oidc: options.oidc && openOidc(options.oidc, { clock, fetch: globalThis.fetch }),
    allowPrivateTargets: options.allowPrivateTargets ?? false,
    maxKeyRequests: options.maxKeyRequests ?? KEY_RATE,
    forgetCallers: () => callers.clear(),
    onPassword: options.onPassword ?? ((): void => undefined),
    hostId,
    isDoubtful,
    outages,
    clock,
    log,
  };
  return {
    context,
    auditor,
    trail,
    authenticate: callers.authenticate,
    rpc: [
      implement(AuditService, auditRpc(context, auditor)),
      implement(AccessService, accessRpc(context, callers.authenticateAnew)),
      implement(AccountService, accountRpc(context)),
      implement(SessionService, sessionRpc(context)),
      implement(SecondFactorService, secondFactorRpc(context)),
      implement(OidcService, oidcRpc(context)),
      implement(KeyService, keyRpc(context)),
      implement(MemberService, memberRpc(context)),
      implement(InvitationService, invitationRpc(context)),
      implement(MailService, mailRpc(context)),
      implement(ShareService, shareRpc(context)),
      implement(UsageService, usageRpc(context)),
      implement(TopupService, topupRpc(context)),
      implement(PriceService, priceRpc(context)),
      implement(LedgerService, ledgerRpc(context)),
    ],
    jobEnds: [removeShares(stores.shares)],
    // The meter is in devices/metering, and the database itself removes what expires at a time of its own.
    maintenance: [
      removeOldEntries(stores.audit, options.auditDays ?? DEFAULT_AUDIT_DAYS, clock),
      ...mail.maintenance,
      {
        name: 'look at balances that are nearly used up',
        everyMs: BALANCE_EVERY_MS,
        run: (signal) => notifyLowBalances(context, signal),
      },
    ],
    close: async () => {
      await trail.close();
      await lastUse.close();
    },
  };
}
