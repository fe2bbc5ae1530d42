import type { Db } from 'mongodb';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { migrate, type Migration } from '../../kit/db/migrations.js';
import type { SecretBox } from '../../kit/text/secret-box.js';
import { AccountStore } from './accounts.js';
import { adoptOlderDevices } from './adopt-older-devices.js';
import { CrashStore } from './crashes.js';
import { DeviceStore } from './devices.js';
import { GroupStore } from './groups.js';
import { HostStore } from './hosts.js';
import { IdempotencyStore } from './idempotency.js';
import { AuditStore } from './audit.js';
import { IdentityStore } from './identities.js';
import { InvitationStore } from './invitations.js';
import { JobStore } from './jobs.js';
import { KeyStore } from './keys.js';
import { LeaseWaitStore } from './lease-waits.js';
import { LedgerStore } from './ledger.js';
import { LibraryStore } from './library.js';
import { LibraryCopyStore } from './library-copies.js';
import { MailLinkStore } from './mail-links.js';
import { MailWindowStore } from './mail-windows.js';
import { MailStore } from './mails.js';
import { MemberStore } from './members.js';
import { OidcLoginStore } from './oidc-logins.js';
import { PersonStore } from './people.js';
import { adoptOwners } from './adopt-owners.js';
import { renameDeviceEvents } from './rename-device-events.js';
import { PoolStore } from './pools.js';
import { RecordingStore } from './recordings.js';
import { ReservationStore } from './reservations.js';
import { ScheduleStore } from './schedules.js';
import { SessionStore } from './sessions.js';
import { ShareStore } from './shares.js';
import { SignInChallengeStore } from './sign-in-challenges.js';
import { SignInLinkStore } from './sign-in-links.js';
import { SnapshotStore } from './snapshots.js';
import { TemplateStore } from './templates.js';
import { TimelineStore } from './timeline.js';
import { TopupStore } from './topups.js';
import { UsageDayStore } from './usage-days.js';

export interface Stores {
  accounts: AccountStore;
  audit: AuditStore;
  crashes: CrashStore;
  devices: DeviceStore;
  groups: GroupStore;
  hosts: HostStore;
  identities: IdentityStore;
  invitations: InvitationStore;
  jobs: JobStore;
  keys: KeyStore;
  leaseWaits: LeaseWaitStore;
  entries: LedgerStore;
  library: LibraryStore;
  libraryCopies: LibraryCopyStore;
  mailLinks: MailLinkStore;
  mailWindows: MailWindowStore;
  mails: MailStore;
  members: MemberStore;
  oidcLogins: OidcLoginStore;
  people: PersonStore;
  pools: PoolStore;
  requests: IdempotencyStore;
  recordings: RecordingStore;
  reservations: ReservationStore;
  schedules: ScheduleStore;
  sessions: SessionStore;
  shares: ShareStore;
  signInChallenges: SignInChallengeStore;
  signInLinks: SignInLinkStore;
  snapshots: SnapshotStore;
  templates: TemplateStore;
  timeline: TimelineStore;
  topups: TopupStore;
  usageDays: UsageDayStore;
}

/**
 * Opens every collection of the service and brings it to today's shape. Throws an error of one line when a newer version wrote the
 * database.
 */
export async function openStores(
  database: Db,
  { box, clock, log }: { box?: SecretBox | undefined; clock: Clock; log: Log },
): Promise<Stores> {
  const stores = {
    accounts: new AccountStore(database),
    audit: new AuditStore(database),
    crashes: new CrashStore(database),
    devices: new DeviceStore(database),
    groups: new GroupStore(database),
    hosts: new HostStore(database),
    identities: new IdentityStore(database),
    invitations: new InvitationStore(database),
    jobs: new JobStore(database),
    keys: new KeyStore(database, box),
    leaseWaits: new LeaseWaitStore(database),
    entries: new LedgerStore(database),
    library: new LibraryStore(database),
    libraryCopies: new LibraryCopyStore(database),
    mailLinks: new MailLinkStore(database),
    mailWindows: new MailWindowStore(database),
    mails: new MailStore(database),
    members: new MemberStore(database),
    oidcLogins: new OidcLoginStore(database),
    people: new PersonStore(database),
    pools: new PoolStore(database),
    requests: new IdempotencyStore(database),
    recordings: new RecordingStore(database),
    reservations: new ReservationStore(database),
    schedules: new ScheduleStore(database),
    sessions: new SessionStore(database),
    shares: new ShareStore(database),
    signInChallenges: new SignInChallengeStore(database),
    signInLinks: new SignInLinkStore(database),
    snapshots: new SnapshotStore(database),
    templates: new TemplateStore(database),
    timeline: new TimelineStore(database),
    topups: new TopupStore(database),
    usageDays: new UsageDayStore(database),
  };
  await migrate({ database, service: 'device-service', migrations: migrationsOf(stores), clock, log });
  await stores.keys.seal();
  return stores;
}

/** Returns the migrations in their order, which never changes; see kit/db/migrations.ts. */
function migrationsOf(stores: Stores): Migration[] {
  const { accounts, devices, jobs, keys, entries, requests, reservations, sessions, topups } = stores;
  const indexed = [accounts, devices, jobs, keys, entries, requests, reservations, sessions, topups];
  return [
    { name: 'devices say what is wanted', run: adoptOlderDevices },
    {
      name: 'indexes',
      run: async () => {
        await Promise.all(indexed.map((store) => store.createIndexes()));
      },
    },
    {
      name: 'groups and schedules',
      run: async () => {
        await Promise.all([stores.groups.createIndexes(), stores.schedules.createIndexes()]);
      },
    },
    {
      name: 'snapshots',
      // The new index of devices finds jobs that begin from a snapshot.
      run: async () => {
        await Promise.all([stores.snapshots.createIndexes(), devices.createIndexes()]);
      },
    },
    // The new index of snapshots is by account.
    { name: 'quotas', run: () => stores.snapshots.createIndexes() },
    { name: 'sessions have an address', run: () => sessions.addAddresses() },
    // The new index of keys has the valid keys of an account. The new indexes of jobs have the failed ones.
    {
      name: 'indexes of valid keys and failed jobs',
      run: async () => {
        await Promise.all([keys.createIndexes(), jobs.createIndexes()]);
      },
    },
    // The new indexes of groups are by account, and by maker.
    { name: 'lists of groups', run: () => stores.groups.createIndexes() },
    {
      name: 'events of devices',
      run: async (database) => {
        await renameDeviceEvents(database);
        await devices.createIndexes();
      },
    },
    { name: 'timelines', run: () => stores.timeline.createIndexes() },
    { name: 'shares', run: () => stores.shares.createIndexes() },
    // The new indexes of the ledger have the credits and the reversals of an account.
    { name: 'indexes of payments', run: () => entries.createIndexes() },
    // The new index of devices has those whose phones have moved, with files left on the old host.
    { name: 'moved phones', run: () => devices.createIndexes() },
    { name: 'recordings', run: () => stores.recordings.createIndexes() },
    // The new indexes of devices have the leased ones, and the phones of pools.
    {
      name: 'leases and pools',
      run: async () => {
        await Promise.all([stores.pools.createIndexes(), stores.leaseWaits.createIndexes(), devices.createIndexes()]);
      },
    },
    // The new index of devices has those that are being made from a template.
    {
      name: 'templates',
      run: async () => {
        await Promise.all([stores.templates.createIndexes(), devices.createIndexes()]);
      },
    },
    {
      name: 'app library',
      run: async () => {
        await Promise.all([stores.library.createIndexes(), stores.libraryCopies.createIndexes()]);
      },
    },
    { name: 'crashes', run: () => stores.crashes.createIndexes() },
    // The new indexes of sessions and keys are by person and by member.
    {
      name: 'people and members',
      run: async () => {
        const { people, members, invitations } = stores;
        const changed = [people, members, invitations, sessions, keys];
        await Promise.all(changed.map((store) => store.createIndexes()));
        await adoptOwners(stores);
      },
    },
    { name: 'second factors', run: () => stores.signInChallenges.createIndexes() },
    { name: 'audit log', run: () => stores.audit.createIndexes() },
    {
      name: 'mails',
      run: async () => {
        const { mails, mailLinks, mailWindows } = stores;
        await Promise.all([mails, mailLinks, mailWindows].map((store) => store.createIndexes()));
      },
    },
    {
      name: 'sign-in by an identity provider',
      run: async () => {
        const { identities, oidcLogins, signInLinks } = stores;
        await Promise.all([identities, oidcLogins, signInLinks].map((store) => store.createIndexes()));
      },
    },
  ];
}
