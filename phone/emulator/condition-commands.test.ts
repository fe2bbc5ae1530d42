import { expect } from 'chai';
import { conditionCommands } from './condition-commands.js';

const BERLIN = { latitude: 52.520008, longitude: 13.404954 };

describe('commands for conditions of an emulator', () => {
  it('name the longitude first, without exponents', () => {
    expect(conditionCommands({ location: { ...BERLIN, altitude: -34 } }, {})).to.deep.equal([
      'geo fix 13.404954 52.520008 -34.000000',
    ]);
    expect(conditionCommands({ location: { latitude: 1e-7, longitude: -180 } }, {})).to.deep.equal([
      'geo fix -180.000000 0.000000 0.000000',
    ]);
  });

  it('set charger, status and level of a battery', () => {
    for (const [level, charging, words] of [
      [5, false, 'power ac off; power status discharging; power capacity 5'],
      [5, true, 'power ac on; power status charging; power capacity 5'],
      [100, true, 'power ac on; power status full; power capacity 100'],
    ] as const)
      expect(conditionCommands({ battery: { level, charging } }, {}).join('; ')).to.equal(words);
  });

  it('bound delay and speed, or free them', () => {
    expect(conditionCommands({ network: { latencyMs: 300, loss: 0, kbps: 64 } }, {})).to.deep.equal([
      'network delay 300',
      'network speed 64:64',
    ]);
    expect(conditionCommands({ network: { latencyMs: 0, loss: 0 } }, {})).to.deep.equal([
      'network delay none',
      'network speed full',
    ]);
  });

  it('take back what was set before, and touch nothing else', () => {
    expect(conditionCommands({}, {})).to.deep.equal([]);
    expect(conditionCommands({}, { battery: { level: 5, charging: false } })).to.deep.equal([
      'power ac on',
      'power status full',
      'power capacity 100',
    ]);
    const before = { location: BERLIN, network: { latencyMs: 9, loss: 0 } };
    expect(conditionCommands({}, before)).to.deep.equal([
      'geo fix -122.084000 37.421998 5.000000',
      'network delay none',
      'network speed full',
    ]);
    expect(conditionCommands(before, before)).to.have.length(3);
  });
});
