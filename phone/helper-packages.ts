/** The packages of the UiAutomator2 server: the server, and the instrumentation that starts it. */
export const UIA2_PACKAGE = 'io.appium.uiautomator2.server';
export const UIA2_TEST_PACKAGE = `${UIA2_PACKAGE}.test`;

/** Apps that the service itself installs on phones, and does not list. */
export const HELPER_PACKAGES: ReadonlySet<string> = new Set([UIA2_PACKAGE, UIA2_TEST_PACKAGE]);
