import { expect } from 'chai';
import { failureIn, installRefused } from './package-failure.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { appsIn, installedApps } from './installed-apps.js';

/** The output of Android 14, cut to the lines that are requested. */
const REPORT = `Packages:
  Package [com.google.android.webview] (f1c2d3a):
    versionName=119.0.6045.66
    pkgFlags=[ SYSTEM HAS_CODE ALLOW_CLEAR_USER_DATA UPDATED_SYSTEM_APP LARGE_HEAP ]
  Package [org.example.tool] (aa11bb2):
    versionName=null
    pkgFlags=[ HAS_CODE ALLOW_CLEAR_USER_DATA ALLOW_BACKUP ]
  Package [org.example.NOTES] (aa11bb2):
    versionName=2.0 (beta)
    label=Notes = more
    pkgFlags=[ HAS_CODE ]
Hidden system packages:
  Package [com.google.android.webview] (1234abc):
    versionName=100.0
    pkgFlags=[ SYSTEM HAS_CODE ]
`;

describe('the apps in a report of the package manager', () => {
  it('are those installed now, by package', () => {
    expect(appsIn(REPORT)).to.deep.equal([
      { package: 'com.google.android.webview', label: undefined, version: '119.0.6045.66', system: true },
      { package: 'org.example.NOTES', label: 'Notes = more', version: '2.0 (beta)', system: false },
      { package: 'org.example.tool', label: undefined, version: '', system: false },
    ]);
    expect(appsIn(REPORT.replaceAll('\n', '\r\n'))).to.deep.equal(appsIn(REPORT));
  });

  it('are without the helpers of the service', async () => {
    const report = REPORT.replace('org.example.tool', 'io.appium.uiautomator2.server');
    const link = { shell: async () => ({ stdout: Buffer.from(report) }) } as unknown as PhoneLink;
    const apps = await installedApps(link, new AbortController().signal);
    expect(apps.map((app) => app.package)).to.deep.equal(['com.google.android.webview', 'org.example.NOTES']);
  });

  it('are none in output that makes no sense', () => {
    expect(appsIn('')).to.deep.equal([]);
    expect(appsIn("Can't find service: package\n    versionName=1\n")).to.deep.equal([]);
  });
});

describe("a phone's refusal", () => {
  it("is passed on in the phone's own words", () => {
    const said = 'Success: streamed\nFailure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade [1] to 2]\nException x';
    expect(failureIn(said)).to.equal('Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade [1] to 2]');
    expect(failureIn('Error: java.lang.X\n at y')).to.equal('Error: java.lang.X');
    expect(failureIn('odd\x07\twords\n')).to.equal('odd words');
    expect(failureIn('')).to.equal('its package manager printed nothing');
    expect(failureIn(`Failure ${'x'.repeat(9_999)}`)).to.have.length(500);
  });

  it("is the request's fault, unless the phone has no room", () => {
    expect(installRefused('a.b', 'Failure [INSTALL_FAILED_TEST_ONLY]').error).to.deep.equal({
      error: 'bad_request',
      message: 'The phone did not install a.b: Failure [INSTALL_FAILED_TEST_ONLY]',
    });
    expect(installRefused('a.b', 'Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]').error.error).to.equal('unavailable');
  });
});
