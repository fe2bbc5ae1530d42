import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { PhoneFailure } from '../driver.js';
import { EmulatorWorld, needsNamespaces } from './testing/emulator-world.js';

const LOW = { level: 5, charging: false };
const BERLIN = { latitude: 52.520008, longitude: 13.404954 };

describe('conditions of phones in the emulator', () => {
  let world: EmulatorWorld;

  before(async function () {
    await needsNamespaces(this);
  });
  beforeEach(async () => {
    world = new EmulatorWorld();
    await world.driver.open();
    await world.driver.create(world.spec('ph_a'));
  });
  afterEach(() => world.close());

  const battery = async (): Promise<string> => {
    const found = await world.driver.inspect('ph_a');
    if (found.state !== 'running') throw new Error(`the phone is ${found.state}`);
    const printed = await world.shell(found.endpoint, 'dumpsys battery; dumpsys location');
    const [level, charger, place = ''] = [/level: (\d+)/, /AC powered: (\w+)/, /Location\[gps (\S+)/].map(
      (pattern) => pattern.exec(printed)?.[1],
    );
    return [level, charger, place].join(' ').trim();
  };
  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('are offered, but for what its console has no command for', () => {
    expect(world.driver.capabilities()).to.deep.include({
      conditions: ['location', 'battery', 'network'],
      conditionsLack: ['location.accuracy', 'network.loss'],
    });
  });

  it('are set by its console while it runs, taken back, and known to the next service', async () => {
    await world.driver.start('ph_a');
    expect(await battery()).to.equal('100 true');
    await world.driver.setConditions('ph_a', { battery: LOW, location: BERLIN });
    expect(await battery()).to.equal('5 false 52.520008,13.404954');
    await world.restart();
    await world.driver.setConditions('ph_a', { location: BERLIN });
    expect(await battery()).to.equal('100 true 52.520008,13.404954');
  });

  it('are there when a start returns, also the next one', async () => {
    await world.driver.setConditions('ph_a', { battery: LOW, network: { latencyMs: 1, loss: 0, kbps: 1_000 } });
    for (let starts = 0; starts < 2; starts++) {
      await world.driver.start('ph_a');
      expect(await battery()).to.equal('5 false');
      await world.driver.stop('ph_a', 'kill');
    }
    await world.driver.setConditions('ph_a', {});
    await world.driver.start('ph_a');
    expect(await battery()).to.equal('100 true');
  });

  it('that its console refuses are a failure for good', async () => {
    world.sdk.behave({ console: 'no-conditions' });
    await world.driver.start('ph_a');
    const error = await failure(world.driver.setConditions('ph_a', { battery: LOW }));
    expect(error)
      .to.be.instanceOf(PhoneFailure)
      .with.property('message', "The phone's emulator refused the conditions.");
    await world.driver.stop('ph_a', 'kill');
    expect(await failure(world.driver.start('ph_a')))
      .to.be.instanceOf(PhoneFailure)
      .with.property('message')
      .that.contains('PATCH /v1/devices/phone/conditions');
  });

  for (const console of ['hangs', 'hangs-later', 'refuses'] as const) {
    it(`are not set where its console ${console}`, async () => {
      world.sdk.behave({ console });
      await world.driver.start('ph_a');
      const error = await failure(world.driver.setConditions('ph_a', { battery: LOW }));
      if (console === 'refuses') expect(error).to.be.instanceOf(PhoneFailure);
      else expect(error).to.be.instanceOf(ApiError).with.property('kind', 'unavailable');
      expect(await battery()).to.equal('100 true');
    });
  }

  it('are given up with the call', async () => {
    world.sdk.behave({ console: 'hangs-later' });
    await world.driver.start('ph_a');
    const abort = new AbortController();
    const work = failure(world.driver.setConditions('ph_a', { battery: LOW }, { signal: abort.signal }));
    abort.abort(new Error('left'));
    expect(await work).to.have.property('message', 'left');
  });
});
