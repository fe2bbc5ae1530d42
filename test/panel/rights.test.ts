import { expect } from 'chai';
import { contractsOver } from '../../gateway/contracts.js';
import { routeOf } from '../../kit/rpc/mesh.js';
import { roleNeeded } from '../../kit/rpc/caller.js';
import { wordOf } from '../../kit/text/wire-words.js';
import { MemberRoleSchema } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { panelModules } from './panel-module.js';

interface Rights {
  ROLES: readonly string[];
  ROLE_FOR: Record<string, string>;
  hasRight: (role: string, right: string) => boolean;
  rolesToGive: (role: string) => readonly string[];
}

interface Pages {
  PAGES: readonly { path: string; needs?: string }[];
}

interface Tabs {
  tabsOf: (model: object | undefined, role: string) => { id: string }[];
  rightLacked: (tab: string, role: string) => string | undefined;
}

/** Calls that stand for each right of the panel. Billing is no right of the API, which lets each member read the ledger. */
const CALLS: Record<string, readonly string[]> = {
  phones: ['CreateDevice', 'StartDevice', 'StopDevice', 'DeleteDevice', 'CreateGroup', 'EndLease', 'CreateShare'],
  keys: ['ListKeys', 'CreateKey', 'UpdateKey', 'RevokeKey'],
  members: ['ListMembers', 'UpdateMember', 'ListInvitations', 'CreateInvitation', 'DeleteInvitation'],
  settings: ['UpdateAccount'],
  audit: ['ListAudit'],
  topups: ['CreateTopup'],
};

describe('the rights of roles in the panel', () => {
  let rights: Rights;
  let pages: Pages;
  let tabs: Tabs;
  before(async () => {
    [rights, pages, tabs] = await panelModules<[Rights, Pages, Tabs]>(
      'api/rights.ts',
      'pages/registry.ts',
      'pages/phone/tabs.ts',
    );
  });

  it('need the same roles as the calls of the API that they stand for', () => {
    const none = undefined as never;
    const roles = new Map(
      contractsOver({ device: none, screen: none, relay: none, webhook: none }).flatMap(({ descriptor }) =>
        descriptor.methods.flatMap((method): [string, string][] => {
          const traits = routeOf(method);
          return traits === undefined ? [] : [[method.name, wordOf(MemberRoleSchema, roleNeeded(traits))]];
        }),
      ),
    );
    for (const [right, calls] of Object.entries(CALLS)) {
      for (const call of calls) expect(roles.get(call), call).to.equal(rights.ROLE_FOR[right]);
    }
  });

  it('include those of each lower role', () => {
    for (const right of Object.keys(rights.ROLE_FOR)) {
      const having = rights.ROLES.map((role) => rights.hasRight(role, right));
      expect(having, right).to.deep.equal([...having].sort());
      expect(having.at(-1), right).to.equal(true);
    }
    expect(rights.hasRight('viewer', 'phones')).to.equal(false);
    expect(rights.rolesToGive('admin')).to.deep.equal(['viewer', 'operator', 'admin']);
    expect(rights.rolesToGive('owner')).to.deep.equal(rights.ROLES);
  });

  it('decide about each page that creates or manages, and leave a viewer the pages to look at', () => {
    const withoutRight = pages.PAGES.filter(({ needs }) => needs === undefined).map(({ path }) => path);
    expect(withoutRight).to.include.members([
      '/phones',
      '/phones/:name/:tab?',
      '/health',
      '/jobs',
      '/usage',
      '/account',
    ]);
    for (const { path, needs } of pages.PAGES) {
      if (/\/new$|^\/settings\/(keys|webhooks)|^\/(billing|members|audit)/.test(path))
        expect(needs, path).to.be.oneOf(Object.keys(rights.ROLE_FOR));
    }
  });

  it('decide about the tabs of a phone, also where their address is opened', () => {
    const shown = (role: string): string[] => tabs.tabsOf({ conditions: ['battery'] }, role).map(({ id }) => id);
    expect(shown('operator')).to.include.members(['about', 'apps', 'network', 'conditions', 'adb', 'elements']);
    expect(shown('viewer')).to.deep.equal(['about', 'files', 'snapshots', 'timeline', 'recordings', 'crashes', 'logs']);
    expect(tabs.rightLacked('adb', 'viewer')).to.equal('phones');
    expect(tabs.rightLacked('adb', 'operator')).to.equal(undefined);
    expect(tabs.rightLacked('logs', 'viewer')).to.equal(undefined);
  });
});
