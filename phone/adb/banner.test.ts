import { expect } from 'chai';
import { formatBanner, parseBanner } from './banner.js';
import { parseShellService, serviceName } from './service-name.js';

describe('banner', () => {
  it('reads the banner of adb', () => {
    const { state, features } = parseBanner(Buffer.from('host::features=shell_v2,cmd'));
    expect({ state, features }).to.deep.equal({ state: 'host', features: ['shell_v2', 'cmd'] });
  });

  it('takes the separators out of values, so that no property is lost', () => {
    const text = formatBanner({ state: 'device', properties: { 'ro.product.model': 'A:B;C=D' }, features: ['cmd'] });
    expect(text).to.equal('device::ro.product.model=A_B_C_D;features=cmd');
  });
});

describe('service names', () => {
  it('lose the NULs at their end only', () => {
    expect(serviceName(Buffer.from('abb_exec:package\0install\0'))).to.equal('abb_exec:package\0install');
  });

  it('are shells with any text after the word, as adbd takes them', () => {
    expect(parseShellService('shellX,raw:reboot')).to.include({ command: 'reboot', pty: false });
    expect(parseShellService('shell,v2,TERM=xterm,pty:')).to.deep.equal({
      v2: true,
      pty: true,
      term: 'xterm',
      command: '',
    });
    expect(parseShellService('shell:ls')).to.include({ v2: false, pty: false });
    expect(parseShellService('sync:')).to.equal(undefined);
  });
});
