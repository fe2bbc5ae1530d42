/** A question as a reader types it, and the places that are right as the first result: a page, or one part of it after `#`. */
export type Question = readonly [typed: string, right: readonly string[]];

/** Where settings are described. */
const SETTINGS = ['/docs/guides/settings/', '/docs/guides/readme/', '/docs/guides/database/'];

/**
 * The fixed list of questions, written before the ranking was tuned. A question may be added. It is removed only together with the feature
 * that it asks about.
 */
export const QUESTIONS: readonly Question[] = [
  ['rate limit', ['/docs/guides/errors-and-limits/', '/docs/reference/#limits']],
  ['install apk', ['/docs/reference/app/#uploadApk', '/docs/guides/apps/']],
  ['copy file', ['/docs/guides/files/', '/docs/reference/file/#writeFile']],
  ['webhook signature', ['/docs/guides/webhooks/']],
  ['screenshot', ['/docs/reference/screen/#getScreenshot']],
  ['create a phone', ['/docs/reference/device/#createDevice', '/docs/guides/first-phone/']],
  ['api key', ['/docs/reference/key/', '/docs/reference/#authentication']],
  ['401', ['/docs/guides/errors-and-limits/', '/docs/reference/#errors']],
  ['insufficient_funds', ['/docs/guides/errors-and-limits/', '/docs/reference/#errors']],
  ['tap a button', ['/docs/reference/screen/', '/docs/guides/agent-loop/']],
  ['type text', ['/docs/reference/screen/', '/docs/guides/agent-loop/']],
  ['adb connect', ['/docs/guides/adb/', '/docs/reference/relay/#enableAdb']],
  ['claude mcp', ['/docs/guides/mcp/']],
  ['python sdk', ['/docs/guides/python/']],
  ['typescript client', ['/docs/guides/client/']],
  ['go client', ['/docs/guides/generated-clients/']],
  ['appium tests', ['/docs/guides/appium/']],
  ['live video', ['/docs/guides/live/', '/docs/reference/screen/#watchScreen']],
  ['websocket', ['/docs/guides/live/', '/docs/reference/screen/#watchScreen']],
  ['use my own proxy', ['/docs/guides/network/', '/docs/reference/network/']],
  ['change ip address', ['/docs/reference/network/#rotateNetwork', '/docs/guides/network/']],
  ['gps location', ['/docs/guides/conditions/', '/docs/reference/device/#updateConditions']],
  ['restore snapshot', ['/docs/reference/snapshot/#restoreSnapshot', '/docs/guides/snapshots/']],
  ['clone', ['/docs/reference/snapshot/#cloneSnapshot', '/docs/guides/snapshots/']],
  ['run on many phones', ['/docs/guides/groups/', '/docs/reference/group/']],
  ['cron', ['/docs/guides/groups/', '/docs/reference/schedule/']],
  ['logcat', ['/docs/reference/screen/#getLogs']],
  ['retry without creating twice', ['/docs/guides/errors-and-limits/', '/docs/reference/device/#createDevice']],
  ['pagination', ['/docs/reference/#lists']],
  ['price per minute', ['/docs/reference/price/', '/docs/guides/billing/']],
  ['stripe', ['/docs/guides/topups/', '/docs/reference/topup/']],
  ['wait for job', ['/docs/reference/job/', '/docs/reference/#long-running-operations']],
  ['docker compose', ['/docs/guides/containers/']],
  ['helm chart', ['/docs/guides/kubernetes/']],
  ['https certificate', ['/docs/guides/tls/']],
  ['backup', ['/docs/guides/backup/']],
  ['prometheus metrics', ['/docs/guides/operating/']],
  ['share link', ['/docs/guides/shares/', '/docs/reference/share/#createShare']],
  ['stop when idle', ['/docs/reference/device/', '/docs/guides/first-phone/']],
  ['MONGODB_URL', SETTINGS],
];
