import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { cleanPhone } from './clean-phone.js';
import type { Contact, PhoneContact } from './contact.js';
import type { PhoneFacts } from './phone-facts.js';
import { POWER_TIMES } from './power.js';
import type { ListedPhone } from './phones-file.js';
import { whyNotWiped } from './wipe.js';

const FACTS: PhoneFacts = {
  hardware: 'A1',
  android: '14',
  screen: { width: 1, height: 2, density: 160 },
  memoryMb: 1,
  adbOutlivesReboot: false,
  emulator: false,
};

/** A phone that knows the commands of a wipe: it loses its files and boots again. `refuses`: it has a screen lock. */
class WipeablePhone {
  readonly #listeners: (() => void)[] = [];
  readonly commands: string[] = [];
  boot = 1;
  marked = false;
  refuses = false;
  /** It reboots and keeps its files. */
  forgetful = false;

  get now(): Contact {
    return { state: 'reached', identity: `A1/${this.boot}`, facts: FACTS };
  }

  async check(): Promise<Contact> {
    return this.now;
  }

  async until(holds: (contact: Contact) => boolean): Promise<Contact> {
    while (!holds(this.now)) await new Promise<void>((resolve) => this.#listeners.push(resolve));
    return this.now;
  }

  async shell(command: string) {
    this.commands.push(command);
    const reply = (stdout: string, exitCode: number) => ({
      stdout: Buffer.from(stdout),
      stderr: Buffer.alloc(0),
      exitCode,
    });
    if (command.startsWith('echo wipe >')) this.marked = true;
    if (command.startsWith('test -e')) return reply(this.marked ? 'there\n' : 'gone\n', 0);
    if (command !== 'cmd testharness enable') return reply('', 0);
    if (this.refuses) return reply('Test Harness Mode cannot be enabled if there is a lock screen\n', 2);
    this.boot++;
    this.marked = this.forgetful;
    setImmediate(() => this.#listeners.splice(0).forEach((listener) => listener()));
    return reply('', 0);
  }
}

function clean(phone: WipeablePhone, wipedIn?: string) {
  const noted: string[] = [];
  const cleaning = { phoneId: 'ph_1', hardware: 'A1', clean: 'factory' as const, ...(wipedIn && { wipedIn }) };
  const done = cleanPhone(phone as unknown as PhoneContact, cleaning, {
    clock: systemClock,
    times: POWER_TIMES,
    signal: new AbortController().signal,
    noteWipe: (identity) => noted.push(identity),
  });
  return { done, noted };
}

describe('clean: factory', () => {
  it('wipes the phone and takes it for clean when its files are gone after a reboot', async () => {
    const phone = new WipeablePhone();
    const { done, noted } = clean(phone);
    await done;
    expect(noted).to.deep.equal(['A1/1']);
    expect(phone.boot).to.equal(2);
  });

  it('does not wipe again when a crash came after the wipe', async () => {
    const phone = new WipeablePhone();
    phone.boot = 2;
    await clean(phone, 'A1/1').done;
    expect(phone.commands).to.have.length(1);
    expect(phone.boot).to.equal(2);
  });

  it('wipes again when a crash came before the phone took the order', async () => {
    const phone = new WipeablePhone();
    phone.marked = true;
    await clean(phone, 'A1/1').done;
    expect(phone.boot).to.equal(2);
  });

  it('fails with the reason of the phone, and when it came back with its files', async () => {
    const locked = new WipeablePhone();
    locked.refuses = true;
    const refused = await clean(locked).done.catch((error: unknown) => error);
    expect(refused)
      .to.be.instanceOf(Error)
      .with.property('message')
      .match(/lock screen/);
    const forgetful = new WipeablePhone();
    forgetful.forgetful = true;
    const kept = await clean(forgetful).done.catch((error: unknown) => error);
    expect(kept)
      .to.be.instanceOf(Error)
      .with.property('message')
      .match(/without being wiped/);
  });

  it('is only for phones that come back', () => {
    const listed = (kind: 'tcp' | 'adb-server') => ({ via: { kind } }) as ListedPhone;
    expect(whyNotWiped(listed('adb-server'), FACTS)).to.equal(undefined);
    expect(whyNotWiped(listed('tcp'), { ...FACTS, emulator: true })).to.equal(undefined);
    expect(whyNotWiped(listed('tcp'), FACTS)).to.match(/over USB/);
    expect(whyNotWiped(listed('adb-server'), { ...FACTS, android: '9' })).to.match(/Android 10/);
  });
});
