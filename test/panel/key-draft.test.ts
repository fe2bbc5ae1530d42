import { expect } from 'chai';
import { panelModules } from './panel-module.js';

interface KeyDrafts {
  NEW_KEY: Record<string, unknown>;
  draftOf: (key: object) => Record<string, unknown>;
  newKeyBody: (draft: object) => Record<string, unknown>;
  changedKeyBody: (draft: object, first: object) => Record<string, unknown>;
  addressesIn: (text: string) => string[];
}

interface SeenPhones {
  seenWords: (seen: unknown) => string;
  seenPhonesOf: (one: object) => unknown;
  isComplete: (seen: unknown) => boolean;
}

const KEY = {
  id: 'key_1',
  name: 'ci',
  scope: 'control',
  devices: ['bench'],
  created_at: '2026-11-20T17:00:00.000Z',
  prefix: 'cp_1',
  labels: { team: 'qa' },
  allow: ['203.0.113.0/24', '2001:db8::/48'],
  requests_per_minute: 60,
};

describe('the form of a key', () => {
  let drafts: KeyDrafts;
  let seen: SeenPhones;
  before(async () => {
    [drafts, seen] = await panelModules<[KeyDrafts, SeenPhones]>('pages/keys/key-draft.ts', 'parts/seen-phones.ts');
  });

  it('sends no limit that was left empty', () => {
    expect(drafts.newKeyBody({ ...drafts.NEW_KEY, name: 'ci' })).to.deep.equal({
      ...{ name: 'ci', scope: 'control', labels: {} },
      devices: ['*'],
    });
  });

  it('sends the end of the last day, the addresses one by one, and a label in place of names', () => {
    const body = drafts.newKeyBody({
      ...drafts.NEW_KEY,
      ...{ name: 'ci', seen: { label: 'team=qa' }, webhookUrl: 'https://hooks.example.com', lastDay: '2027-01-31' },
      ...{ allow: ' 203.0.113.7,\n198.51.100.0/24 203.0.113.7', requestsPerMinute: 30 },
    });
    expect(body).to.deep.include({
      ...{ devices: { label: 'team=qa' }, webhook_url: 'https://hooks.example.com', requests_per_minute: 30 },
      allow: ['203.0.113.7', '198.51.100.0/24'],
    });
    const end = new Date(body['expires_at'] as string);
    expect([end.getFullYear(), end.getMonth(), end.getDate(), end.getHours()]).to.deep.equal([2027, 0, 31, 23]);
  });

  it('changes only what was edited, and takes away what was emptied', () => {
    const first = drafts.draftOf({ ...KEY, expires_at: '2027-01-31T12:00:00.000Z' });
    expect(first['allow']).to.equal('203.0.113.0/24\n2001:db8::/48');
    expect(drafts.changedKeyBody(first, first)).to.deep.equal({});
    const emptied = { ...first, labels: {}, lastDay: '', allow: ' ', requestsPerMinute: '' };
    expect(drafts.changedKeyBody(emptied, first)).to.deep.equal({
      ...{ labels: { team: '' }, expires_at: '', allow: ['*'], requests_per_minute: 0 },
    });
  });

  it('changes each field and each label by itself, as others may have changed the rest', () => {
    const first = drafts.draftOf(KEY);
    const edited = (part: object) => drafts.changedKeyBody({ ...first, ...part }, first);
    expect(edited({ name: 'nightly' })).to.deep.equal({ name: 'nightly' });
    expect(edited({ scope: 'read' })).to.deep.equal({ scope: 'read' });
    expect(edited({ seen: ['bench'] })).to.deep.equal({});
    expect(edited({ seen: { label: 'team=qa' } })).to.deep.equal({ devices: { label: 'team=qa' } });
    expect(edited({ webhookUrl: ' https://hooks.example.com ' })).to.deep.equal({
      webhook_url: 'https://hooks.example.com',
    });
    expect(edited({ labels: { team: 'qa', ring: '1' } })).to.deep.equal({ labels: { ring: '1' } });
    expect(edited({ labels: { team: 'dev' } })).to.deep.equal({ labels: { team: 'dev' } });
  });

  it('shows which phones a key sees, whatever form the service gives it', () => {
    const words = (one: object): string => seen.seenWords(seen.seenPhonesOf(one));
    expect(words({ devices: ['*'] })).to.equal('all');
    expect(words({ devices: [] })).to.equal('none');
    expect(words({ devices: ['a', 'b'] })).to.equal('a, b');
    expect(words({ devices: { label: 'team=qa' } })).to.equal('label team=qa');
    expect(words({ devices: [], devices_label: 'team=qa' })).to.equal('label team=qa');
    expect([[], ['a'], { label: 'team' }, { label: 'team=' }, { label: 'team=qa' }].map(seen.isComplete)).to.deep.equal(
      [...[false, true, false, false, true]],
    );
  });
});
