import { expect } from 'chai';
import { readSettings } from './config.js';

describe('the settings of the command line', () => {
  it('have the file of services in the folder of XDG, or in .config', () => {
    expect(readSettings({ XDG_CONFIG_HOME: '/x' }, '/home/ann').servicesFile).to.equal('/x/cloudphone/config.json');
    for (const XDG_CONFIG_HOME of ['', 'relative', undefined])
      expect(readSettings({ XDG_CONFIG_HOME }, '/home/ann').servicesFile).to.equal(
        '/home/ann/.config/cloudphone/config.json',
      );
  });

  it('leave blanks around values out, and take an empty value for none', () => {
    const { url, key } = readSettings({ CLOUDPHONE_URL: ' https://a.example ', CLOUDPHONE_KEY: ' ' }, '/');
    expect([url, key]).to.deep.equal(['https://a.example', undefined]);
  });

  it('look for adb in PATH first, then in the SDK', () => {
    const { programFolders } = readSettings({ PATH: '/usr/bin:.:/bin', ANDROID_HOME: '/sdk' }, '/');
    expect(programFolders).to.deep.equal(['/usr/bin', '/bin', '/sdk/platform-tools']);
  });
});
