// Writes a note on a cloud phone by Appium: opens the phone's relay, logs adb in, and drives the app by the UiAutomator2 driver.
// Usage: node appium-note.mjs. Needs adb, a running Appium server, and the package webdriver.
import { execFileSync } from 'node:child_process';
import WebDriver from 'webdriver';

const { CLOUDPHONE_URL, CLOUDPHONE_KEY, CLOUDPHONE_DEVICE, APPIUM_URL = 'http://127.0.0.1:4723' } = process.env;
const adb = (...words) => execFileSync('adb', words, { encoding: 'utf8' }).trim();

async function relay(method, body) {
  const response = await fetch(`${CLOUDPHONE_URL}/devices/${CLOUDPHONE_DEVICE}/adb`, {
    method,
    headers: { authorization: `Bearer ${CLOUDPHONE_KEY}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// The address from which this machine reaches the service.
const { adb: opened } = await relay('POST', { allow: [process.env.FROM ?? '127.0.0.1'], lifetime_s: 3600 });
const serial = `${opened.host}:${opened.port}`;
adb('connect', serial);
console.log(adb('-s', serial, 'shell', 'service-login', opened.code));

const { protocol, hostname, port } = new URL(APPIUM_URL);
const session = {
  protocol: protocol.replace(':', ''),
  hostname,
  port: Number(port),
  logLevel: 'error',
  capabilities: {
    platformName: 'Android',
    'appium:automationName': 'UiAutomator2',
    'appium:udid': serial,
    // The adb server that has logged in.
    'appium:adbPort': Number(process.env.ANDROID_ADB_SERVER_PORT ?? 5037),
    'appium:appPackage': 'com.cloudphone.notes',
    'appium:appActivity': '.Main',
    'appium:noReset': true,
    // Simulated phones alone: they do not run the code of the helper app that Appium would install.
    'appium:skipDeviceInitialization': true,
  },
};
let driver;
try {
  driver = await WebDriver.newSession(session);
  const find = async (using, value) => Object.values(await driver.findElement(using, value))[0];
  await driver.elementClick(await find('accessibility id', 'New note'));
  await driver.elementSendKeys(await find('id', 'com.cloudphone.notes:id/title'), 'By Appium');
  await driver.elementClick(await find('id', 'com.cloudphone.notes:id/save'));
  const note = await find('-android uiautomator', 'new UiSelector().text("By Appium")');
  console.log(`saved: ${await driver.getElementText(note)}`);
} finally {
  await driver?.deleteSession();
  adb('disconnect', serial);
  await relay('DELETE');
}
