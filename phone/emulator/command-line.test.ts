import { expect } from 'chai';
import { emulatorArguments } from './command-line.js';

describe('the command line of an emulator', () => {
  it("has the model's own words last, so that they win", () => {
    const phone = { avd: 'ph_1', serial: 'CP1', gpu: 'host', timezone: 'Europe/Berlin' };
    const words = emulatorArguments({ ...phone, args: ['-cores', '2', '-gpu', 'off'] });
    expect(words.join(' ')).to.match(/^-avd ph_1 .* -gpu host .*-no-window.* -cores 2 -gpu off$/);
  });
});
