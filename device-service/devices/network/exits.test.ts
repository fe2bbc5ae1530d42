import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { SecretBox } from '../../../kit/text/secret-box.js';
import { Exits } from './exits.js';
import type { ListedExit } from './exits-file.js';

const berlin = { country: 'de', timezones: ['Europe/Berlin'] };
const SIMULATED = { driver: 'simulated', exit: true };
const CONTAINER = { driver: 'container', exit: true };
const ATTACHED = { driver: 'attached', exit: false };

const gate = (user: string): string => `socks5://${user}:secret@gate.example:1080`;

describe('exits', () => {
  let listed: readonly ListedExit[];
  const exits = new Exits(() => listed);

  beforeEach(() => {
    listed = [
      { name: 'one', type: 'mobile', ...berlin, proxy: gate('one-{session}'), rotate: 'session' },
      { name: 'two', type: 'mobile', ...berlin, proxy: gate('two-{session}'), rotate: 'session' },
      { name: 'modem', type: 'mobile', country: 'fr', timezones: ['Europe/Paris'], proxy: gate('modem'), rotate: { url: 'http://modem/' } }, // prettier-ignore
      { name: 'fixed', type: 'residential', country: 'us', timezones: ['America/New_York'], proxy: gate('fixed') },
      { name: 'host', type: 'direct', ...berlin },
    ];
  });

  const userOf = (phoneId: string, exit: Parameters<Exits['upstreamOf']>[1]): string | undefined => {
    const upstream = exits.upstreamOf(phoneId, exit);
    return upstream.kind === 'proxy' ? upstream.proxy.user : upstream.kind;
  };

  it('give each device one of a pool, with an exit tag of its own', () => {
    const allocated = Array.from({ length: 100 }, () => exits.allocate({ type: 'mobile', country: 'de' }, SIMULATED));
    expect(new Set(allocated.map(({ source }) => source))).to.deep.equal(new Set(['one', 'two']));
    expect(new Set(allocated.map(({ session }) => session))).to.have.length(100);
    for (const exit of allocated) expect(userOf('ph_1', exit)).to.equal(`${exit.source ?? ''}-${exit.session ?? ''}`);
  });

  it('are on sale by type and country, with the zones of all of a pool, and rotate if all of it does', () => {
    listed = [
      ...listed,
      { name: 'three', type: 'mobile', country: 'de', timezones: ['Europe/Busingen'], proxy: gate('three') },
    ];
    expect(exits.options([SIMULATED, ATTACHED])).to.deep.equal([
      {
        type: 'mobile',
        country: 'de',
        timezones: ['Europe/Berlin', 'Europe/Busingen'],
        rotates: false,
        drivers: ['simulated'],
      },
      { type: 'mobile', country: 'fr', timezones: ['Europe/Paris'], rotates: true, drivers: ['simulated'] },
      { type: 'residential', country: 'us', timezones: ['America/New_York'], rotates: false, drivers: ['simulated'] },
      {
        type: 'direct',
        country: 'de',
        timezones: ['Europe/Berlin'],
        rotates: false,
        drivers: ['simulated', 'attached'],
      },
    ]);
  });

  it('give the one of a pool that has the time zone', () => {
    listed = [
      ...listed,
      { name: 'three', type: 'mobile', country: 'de', timezones: ['Europe/Busingen'], proxy: gate('x') },
    ];
    const chosen = exits.allocate({ type: 'mobile', country: 'de', timezone: 'Europe/Busingen' }, SIMULATED);
    expect(chosen).to.include({ source: 'three', timezone: 'Europe/Busingen' });
  });

  it('rotate by another exit tag, or by the URL of the operator', () => {
    const exit = exits.allocate({ type: 'mobile', country: 'de' }, SIMULATED);
    const { exit: rotated, refreshUrl } = exits.rotated(exit);
    expect(rotated.session).to.not.equal(exit.session);
    expect({ ...rotated, session: exit.session }).to.deep.equal(exit);
    expect(refreshUrl).to.equal(undefined);
    const modem = exits.allocate({ type: 'mobile', country: 'fr' }, SIMULATED);
    expect(exits.rotated(modem)).to.deep.equal({ exit: modem, refreshUrl: 'http://modem/' });
    const fixed = exits.allocate({ type: 'residential', country: 'us' }, SIMULATED);
    expect(() => exits.rotated(fixed)).to.throw("The address of this device's exit (residential, us) is fixed.");
  });

  it('follow the file at once: another login is used, and an exit that is listed no longer carries nothing', () => {
    const exit = exits.allocate({ type: 'residential', country: 'us' }, SIMULATED);
    expect(userOf('ph_1', exit)).to.equal('fixed');
    listed = listed.map((one) => (one.name === 'fixed' ? { ...one, proxy: gate('other') } : one));
    expect(userOf('ph_1', exit)).to.equal('other');
    listed = listed.map((one) => (one.name === 'fixed' ? { ...one, country: 'ca' } : one));
    expect(userOf('ph_1', exit)).to.equal('none');
    listed = listed.filter(({ name }) => name !== 'fixed');
    expect(userOf('ph_1', exit)).to.equal('none');
    expect(() => exits.allocate({ type: 'residential', country: 'us' }, SIMULATED)).to.throw(
      'network.type: "residential"',
    );
  });

  it('give a device that has an exit from before its login had a tag one of its own', () => {
    const exit = exits.allocate({ type: 'residential', country: 'us' }, SIMULATED);
    listed = listed.map((one) =>
      one.name === 'fixed' ? { ...one, proxy: gate('c-{session}'), rotate: 'session' } : one,
    );
    const [first, second] = ['ph_0000000000000first', 'ph_000000000000second'].map((id) => userOf(id, exit));
    expect(first)
      .to.match(/^c-[a-z0-9]{12}$/)
      .and.not.equal(second);
    expect(userOf('ph_1', exits.rotated(exit).exit))
      .to.match(/^c-[a-z0-9]{12}$/)
      .and.not.equal(first);
  });

  it('keep the proxy of a customer sealed for the phone that has it', () => {
    const sealed = new Exits(() => listed, new SecretBox(randomBytes(32)));
    const exit = sealed.custom('ph_1', { proxy: gate('mine') }, 'Europe/Paris');
    expect(JSON.stringify(exit)).not.to.contain('secret').and.not.to.contain('gate.example');
    expect(exit).to.include({ type: 'custom', country: 'zz', timezone: 'Europe/Paris' });
    expect(sealed.upstreamOf('ph_1', exit)).to.deep.include({ kind: 'proxy', guarded: true });
    expect(sealed.upstreamOf('ph_2', exit)).to.include({ kind: 'none' });
  });

  describe('without a file', () => {
    const place = { country: 'nl', timezone: 'Europe/Amsterdam' };
    const own = new Exits(() => undefined, undefined, place);

    for (const of of [CONTAINER, ATTACHED, { driver: 'emulator', exit: true }, { driver: 'kubernetes', exit: true }]) {
      it(`are the host's own connection alone for phones of driver ${of.driver}`, () => {
        expect(own.options([of])).to.deep.equal([
          { type: 'direct', country: 'nl', timezones: ['Europe/Amsterdam'], rotates: false, drivers: [of.driver] },
        ]);
        const exit = own.allocate({ type: 'direct', country: 'nl' }, of);
        expect(exit).to.deep.equal({ type: 'direct', country: 'nl', timezone: 'Europe/Amsterdam' });
        expect(own.upstreamOf('ph_1', exit)).to.deep.equal({ kind: 'straight' });
        expect(own.corrected({ driver: of.driver, exit })).to.equal(undefined);
        expect(() => own.rotated(exit)).to.throw("The address of this device's exit (direct, nl) is fixed.");
        expect(() => own.allocate({ type: 'mobile', country: 'de' }, of)).to.throw(
          `network.type: "mobile" is not on offer with phones of driver ${of.driver}; on offer are direct`,
        );
        expect(() => own.allocate({ type: 'direct', country: 'de' }, of)).to.throw(
          `network.country: "de" is not on offer for direct with phones of driver ${of.driver}; on offer are nl`,
        );
      });
    }

    it('are simulated for simulated phones alone', () => {
      const options = own.options([SIMULATED, CONTAINER]);
      expect(options.filter(({ drivers }) => drivers.includes('simulated'))).to.have.length(28);
      expect(options.filter(({ drivers }) => drivers.includes('container'))).to.have.length(1);
      expect(own.allocate({ type: 'direct', country: 'de' }, SIMULATED).address).to.be.a('string');
    });

    it('have no known place where no setting names one', () => {
      expect(new Exits(() => undefined).allocate({ type: 'direct', country: 'zz' }, CONTAINER)).to.deep.equal({
        ...{ type: 'direct', country: 'zz', timezone: 'UTC' },
      });
    });

    it('are corrected where a real phone has a simulated one: the phone keeps its time zone and the way that it has', () => {
      const invented = { type: 'mobile', country: 'de', timezone: 'Europe/Berlin', address: '203.0.113.9' };
      const correct = { type: 'direct', country: 'nl', timezone: 'Europe/Berlin' };
      const corrected = (driver: string, exit: typeof invented) => own.corrected({ driver, exit });
      expect(corrected('container', invented)).to.deep.equal(correct);
      expect(corrected('container', { ...invented, type: 'direct' })).to.deep.equal(correct);
      const seen = { ...correct, country: 'us', address: '8.8.4.4' };
      expect(corrected('emulator', seen), 'an address that the phone saw stays').to.deep.equal({
        ...seen,
        country: 'nl',
      });
      expect(own.upstreamOf('ph_1', seen)).to.deep.equal({ kind: 'straight' });
      expect(corrected('simulated', invented)).to.equal(undefined);
      expect(own.corrected({ driver: 'container', exit: { ...invented, type: 'custom' } })).to.equal(undefined);
    });
  });

  it('that are listed no longer are not replaced by the connection of the host', () => {
    const [gone, invented] = [{ source: 'gone' }, {}].map((more) => ({
      ...{ type: 'mobile', country: 'de', timezone: 'Europe/Berlin', ...more },
    }));
    for (const exit of [gone, invented]) {
      if (exit === undefined) throw new Error('no exit');
      expect(exits.corrected({ driver: 'container', exit })).to.equal(undefined);
      expect(exits.upstreamOf('ph_1', exit)).to.include({ kind: 'none' });
    }
  });
});
