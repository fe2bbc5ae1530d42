import type { Stores } from '../../device-service/store/stores.js';
import { accountQueries, keyQueries, requestQueries, sessionQueries, shareQueries } from './account-queries.js';
import { entryQueries, reservationQueries, topupQueries, usageDayQueries } from './billing-queries.js';
import { auditQueries } from './audit-queries.js';
import { crashQueries } from './crash-queries.js';
import { deliveryQueries } from './delivery-queries.js';
import { describeQueries, type StoreUnderTest } from './describe-queries.js';
import {
  deviceClaimQueries,
  deviceHandoverQueries,
  deviceLeaseQueries,
  devicePoolQueries,
  deviceQueries,
  deviceSettingQueries,
  hostDeviceQueries,
} from './device-queries.js';
import { hostQueries, snapshotQueries } from './host-queries.js';
import { eventQueries } from './event-queries.js';
import { groupQueries, jobQueries, scheduleQueries } from './job-queries.js';
import { leaseWaitQueries, poolQueries } from './pool-queries.js';
import { libraryCopyQueries, libraryQueries } from './library-queries.js';
import { mailLinkQueries, mailQueries, mailWindowQueries } from './mail-queries.js';
import { challengeQueries, invitationQueries, memberQueries, personQueries } from './member-queries.js';
import { identityQueries, oidcLoginQueries, signInLinkQueries } from './oidc-queries.js';
import { recordingQueries } from './recording-queries.js';
import { templateQueries } from './templates-queries.js';
import { timelineQueries } from './timeline-queries.js';
import { relayQueries } from './relay-queries.js';

/** Every store of the device service: one that is new does not compile until it is here. */
const ofDeviceService: { [Name in keyof Stores]: StoreUnderTest<Stores[Name]> } = {
  accounts: accountQueries,
  audit: auditQueries,
  crashes: crashQueries,
  devices: deviceQueries,
  groups: groupQueries,
  hosts: hostQueries,
  identities: identityQueries,
  invitations: invitationQueries,
  mailLinks: mailLinkQueries,
  mailWindows: mailWindowQueries,
  mails: mailQueries,
  members: memberQueries,
  oidcLogins: oidcLoginQueries,
  people: personQueries,
  jobs: jobQueries,
  keys: keyQueries,
  leaseWaits: leaseWaitQueries,
  entries: entryQueries,
  pools: poolQueries,
  library: libraryQueries,
  libraryCopies: libraryCopyQueries,
  requests: requestQueries,
  recordings: recordingQueries,
  reservations: reservationQueries,
  schedules: scheduleQueries,
  sessions: sessionQueries,
  shares: shareQueries,
  signInChallenges: challengeQueries,
  signInLinks: signInLinkQueries,
  snapshots: snapshotQueries,
  templates: templateQueries,
  timeline: timelineQueries,
  topups: topupQueries,
  usageDays: usageDayQueries,
};

describe('stores', () => {
  for (const store of Object.values(ofDeviceService)) describeQueries(store as StoreUnderTest<unknown>);
  describeQueries(deviceSettingQueries);
  describeQueries(deviceLeaseQueries);
  describeQueries(deviceClaimQueries);
  describeQueries(deviceHandoverQueries);
  describeQueries(devicePoolQueries);
  describeQueries(hostDeviceQueries);
  describeQueries(deliveryQueries);
  describeQueries(eventQueries);
  describeQueries(relayQueries);
});
