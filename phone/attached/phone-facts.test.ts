import { expect } from 'chai';
import { parseFacts } from './phone-facts.js';

const PHONE = `ro.serialno=0A1B2C
ro.build.version.release=13
persist.adb.tcp.port=
ro.kernel.qemu=
ro.boot.qemu=
ro.boot.qemu.avd_name=
ro.kernel.qemu.avd_name=
Physical size: 1080x2400
Physical density: 420
MemTotal:        7654321 kB
MemFree:          123456 kB
`;

describe('facts of a phone', () => {
  it('are read from the output of its commands', () => {
    expect(parseFacts(PHONE)).to.deep.equal({
      hardware: '0A1B2C',
      android: '13',
      screen: { width: 1080, height: 2400, density: 420 },
      memoryMb: 7475,
      adbOutlivesReboot: false,
      emulator: false,
    });
  });

  it('take the size that was set for the panel, and carriage returns', () => {
    const text = PHONE.replace('Physical density', 'Override size: 720x1600\nPhysical density').replaceAll(
      '\n',
      '\r\n',
    );
    expect(parseFacts(text).screen).to.deep.equal({ width: 720, height: 1600, density: 420 });
  });

  it('distinguish emulators, which share a serial number', () => {
    const text = PHONE.replace('ro.boot.qemu=', 'ro.boot.qemu=1').replace('ro.boot.qemu.avd_name=', 'ro.boot.qemu.avd_name=Pixel_6'); // prettier-ignore
    expect(parseFacts(text)).to.include({ hardware: '0A1B2C Pixel_6', emulator: true, adbOutlivesReboot: true });
  });

  it('name everything that is missing', () => {
    expect(() => parseFacts('ro.serialno=\nwm: not found\n')).to.throw('serial, android, size, density, memory');
  });
});
