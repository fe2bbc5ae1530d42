import { expect } from 'chai';
import { parsePhonesFile } from './phones-file.js';

const parse = (phones: unknown[]) => parsePhonesFile(JSON.stringify({ phones }), '/etc/phones');

describe('PHONES_FILE', () => {
  it('lists phones by TCP address and by adb server', () => {
    const { value: phones, faults } = parse([
      {
        address: 'Bench-1.lan:5555',
        model: 'pixel-bench',
        name: 'Bench phone',
        key_file: 'keys/a',
        clean: 'uninstall',
        helpers: 'on',
      },
      { address: { adb_server: '127.0.0.1:5037', serial: '0A1B2C' }, model: 'pixel-bench', clean: 'factory' },
      { address: '[fe80::1]:5555', model: 'v6', clean: 'none' },
    ]);
    expect(faults).to.deep.equal([]);
    expect(phones).to.deep.equal([
      {
        slot: 'bench-1.lan:5555',
        via: { kind: 'tcp', host: 'bench-1.lan', port: 5555 },
        name: 'Bench phone',
        model: 'pixel-bench',
        clean: 'uninstall',
        helpers: true,
        keyFile: '/etc/phones/keys/a',
      },
      {
        slot: '0A1B2C@127.0.0.1:5037',
        via: { kind: 'adb-server', host: '127.0.0.1', port: 5037, serial: '0A1B2C' },
        name: 'pixel-bench',
        model: 'pixel-bench',
        clean: 'factory',
        helpers: false,
      },
      {
        slot: '[fe80::1]:5555',
        via: { kind: 'tcp', host: 'fe80::1', port: 5555 },
        name: 'v6',
        model: 'v6',
        clean: 'none',
        helpers: false,
      },
    ]);
  });

  it('reports every fault with its field', () => {
    const { faults } = parse([
      { address: 'bench', model: 'a', clean: 'none' },
      { address: 'bench:99999', model: 'A B', clean: 'none' },
      { address: { adb_server: 'localhost:5037' }, model: 'a', clean: 'none', color: 'red' },
      { address: 'bench:1', model: 'a', clean: 'wash' },
      { address: 'bench:1', model: 'a' },
      7,
    ]);
    expect(faults).to.deep.equal([
      'phones[0].address "bench" is not host:port',
      'phones[1].address "bench:99999" is not host:port',
      'phones[1].model "A B" is not a word of 1 to 63 of a-z 0-9 . -',
      'phones[2].color is not a field; there are address, name, model, key_file, clean, helpers',
      'phones[2].address.serial is missing and is not a serial number as "adb devices" shows it',
      'phones[3].clean "wash" is not one of none, uninstall, factory',
      'phones[4].clean is missing and is not one of none, uninstall, factory',
      'phones[5] is not an object',
    ]);
  });

  it('takes a phone once', () => {
    const entry = { address: 'bench:5555', model: 'a', clean: 'none' };
    expect(parse([entry, { ...entry, address: 'BENCH:5555' }]).faults).to.deep.equal([
      'phones[1].address is bench:5555, like phones[0]: a phone can be listed once',
    ]);
  });

  for (const text of ['', '[]', '{"phone": []}', '{"phones": {}}'])
    it(`refuses ${text === '' ? 'an empty file' : text}`, () => {
      expect(parsePhonesFile(text, '/').faults).to.have.length(1);
    });
});
