import type { Machine } from '../../machine/machine.js';
import { longComponent } from '../../system/component-name.js';
import { PERMISSIONS } from './pm-lists.js';
import { formatDate } from '../format-date.js';
import { CommandFailure, type Command, print } from '../command.js';

/** `dumpsys [-l] [SERVICE [ARGS]]` */
export const dumpsys: Command = async ({ args, machine, stdout, stderr }) => {
  const words = args.filter((word, at) => !/^-(t|T)$/.test(word) && !/^-(t|T)$/.test(args[at - 1] ?? ''));
  const [service, ...rest] = words;
  if (service === undefined || service === '-l') {
    return print(stdout, `Currently running services:\n${Object.keys(DUMP_SERVICES).map((name) => `  ${name}\n`).join('')}`); // prettier-ignore
  }
  const dump = Object.hasOwn(DUMP_SERVICES, service) ? DUMP_SERVICES[service] : undefined;
  if (!dump) {
    await stderr.write(`Can't find service: ${service}\n`);
    return 0;
  }
  if (machine.properties.get('init.svc.bootanim') === '') throw new CommandFailure(`Can't find service: ${service}`, { bare: true, status: 0 }); // prettier-ignore
  return print(stdout, await dump(machine, rest));
};

/** Returns the `dumpsys` of one service. The parts that clients read are exact; the rest is left out. */
type DumpService = (machine: Machine, args: readonly string[]) => string | Promise<string>;

const DUMP_SERVICES: Readonly<Record<string, DumpService>> = {
  activity: dumpActivity,
  battery: ({ conditions: { battery } }) =>
    `Current Battery Service state:\n  AC powered: ${battery.charging}\n  USB powered: false\n  Wireless powered: false\n  Max charging current: 0\n` +
    `  status: ${battery.charging ? CHARGING : DISCHARGING}\n  health: 2\n  present: true\n  level: ${battery.level}\n  scale: 100\n  voltage: 4200\n` +
    '  temperature: 250\n  technology: Li-ion\n',
  connectivity: (machine) => {
    const isOn = machine.settings.get('global', 'wifi_on') === '1';
    return `Active default network: ${isOn ? '100' : 'none'}\nCurrent Networks:\n${isOn ? '  NetworkAgentInfo{network{100} ni{WIFI CONNECTED} }\n' : ''}`;
  },
  cpuinfo: () =>
    'Load: 0.05 / 0.03 / 0.01\nCPU usage from 60000ms to 0ms ago:\n  0.1% 612/system_server: 0% user + 0% kernel\n',
  display: (machine) => `DISPLAY MANAGER (dumpsys display)\n  ${viewport(machine)}\n  mScreenState=${machine.screen.awake ? 'ON' : 'OFF'}\n`, // prettier-ignore
  input: (machine) => `INPUT MANAGER (dumpsys input)\n  SurfaceOrientation: ${machine.screen.rotation}\n  SurfaceWidth: ${machine.screen.width}px\n  SurfaceHeight: ${machine.screen.height}px\n  Viewports:\n    ${nativeViewport(machine)}\n`, // prettier-ignore
  input_method: (machine) => {
    const shown = machine.screen.keyboardShown;
    const field = machine.screen.focusedField;
    const type = field?.password === true ? '0x81' : '0x1';
    return (
      `Current Input Method Manager state:\n  mCurMethodId=${machine.settings.get('secure', 'default_input_method') ?? ''}\n` +
      `  mInputShown=${shown}\n  mIsInputViewShown=${shown}\n  mImeWindowVis=${shown ? '0x3' : '0x0'}\n` +
      `  mServedView=${field?.view ?? 'null'}\n  mServedConnecting=false\n` +
      (field ? `  mCurrentEditorInfo:\n    inputType=${type} imeOptions=0x6\n    packageName=${field.package}\n` : '') +
      `  mServedInputConnection=${field ? 'RemoteInputConnectionImpl{connection=com.android.internal.inputmethod.EditableInputConnection@1a2b3c}' : 'null'}\n` // prettier-ignore
    );
  },
  location: dumpLocation,
  meminfo: (machine, args) => {
    const [name] = args.filter((word) => !word.startsWith('-'));
    if (name === undefined) return `Total RAM: ${machine.identity.model.memoryMb * 1024}K (status normal)\n`;
    const found = machine.processes.list().find((process) => process.name === name);
    return found ? `** MEMINFO in pid ${found.pid} [${name}] **\n           TOTAL PSS:    ${found.memoryKb}            TOTAL RSS:   ${found.memoryKb}\n` : `No process found for: ${name}\n`; // prettier-ignore
  },
  notification: dumpNotifications,
  package: dumpPackage,
  power: (machine) =>
    `POWER MANAGER (dumpsys power)\n  mWakefulness=${machine.screen.awake ? 'Awake' : 'Asleep'}\n  mIsPowered=${machine.conditions.battery.charging}\n  mPlugType=${machine.conditions.battery.charging ? 1 : 0}\n` +
    `  mBatteryLevel=${machine.conditions.battery.level}\n  mHoldingDisplaySuspendBlocker=${machine.screen.awake}\nDisplay Power: state=${machine.screen.awake ? 'ON' : 'OFF'}\n`,
  SurfaceFlinger: (machine, args) =>
    args.includes('--display-id')
      ? 'Display 4619827259835644672 (HWC display 0): port=0 pnpId=GGL displayName="EMU_display_0"\n'
      : `Display 4619827259835644672 (active) HWC layers:\n  ${machine.screen.width}x${machine.screen.height}\n`,
  window: dumpWindow,
  wifi: (machine) => `Wi-Fi is ${machine.settings.get('global', 'wifi_on') === '1' ? 'enabled' : 'disabled'}\n`,
  uptime: (machine) => `${Math.floor(machine.clock.monotonicMs() - machine.bootedAtMs)}\n`,
};

/** Values of the battery's status in Android's BatteryManager. */
const CHARGING = 2;
const DISCHARGING = 3;

/** Accuracy where none was given, metres: that of the emulator's receiver. */
const RECEIVER_ACCURACY = 5;

function dumpLocation({ conditions: { location }, settings }: Machine): string {
  const isOn = settings.get('secure', 'location_mode') !== '0';
  const head = `Location Manager State:\n  location [u0]: ${isOn ? 'enabled' : 'disabled'}\n  Location Providers:\n    gps provider:\n`;
  if (location === undefined || !isOn) return `${head}      last location=null\n      enabled=${isOn}\n`;
  const { latitude, longitude, altitude = 0, accuracy = RECEIVER_ACCURACY } = location;
  const place = `${latitude.toFixed(6)},${longitude.toFixed(6)} hAcc=${accuracy} et=+0 alt=${altitude}`;
  return `${head}      last location=Location[gps ${place}]\n      enabled=true\n`;
}

function viewport({ screen }: Machine): string {
  const { width, height, rotation } = screen;
  return (
    "DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:4619827259835644672', " +
    `physicalPort=0, orientation=${rotation}, logicalFrame=Rect(0, 0 - ${width}, ${height}), ` +
    `physicalFrame=Rect(0, 0 - ${width}, ${height}), deviceWidth=${width}, deviceHeight=${height}}`
  );
}

/** The same in the words of the native input reader, which has other brackets. */
function nativeViewport({ screen: { width, height, rotation } }: Machine): string {
  const frame = `[0, 0, ${width}, ${height}]`;
  return (
    'Viewport INTERNAL: displayId=0, uniqueId=local:4619827259835644672, port=0, ' +
    `orientation=${rotation}, logicalFrame=${frame}, physicalFrame=${frame}, deviceSize=[${width}, ${height}], isActive=[1]`
  );
}

function recordOf(machine: Machine): { short: string; long: string; record: string; package: string } {
  const { package: name, activity } = machine.screen.foreground;
  const short = `${name}/${activity}`;
  return { short, long: longComponent(short), record: `ActivityRecord{5d6e7f u0 ${short} t12}`, package: name };
}

function dumpActivity(machine: Machine, args: readonly string[]): string {
  const { short, record, package: name } = recordOf(machine);
  const [what = 'activities'] = args;
  const { width, height } = machine.screen;
  switch (what) {
    case 'activities':
    case 'a':
    case 'recents':
      return (
        `ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\nDisplay #0 (activities from top to bottom):\n` +
        `  * Task{8a1b2c3 #12 type=standard A=10123:${name} U=0 visible=true mode=fullscreen}\n    mBounds=Rect(0, 0 - ${width}, ${height})\n` +
        `    * Hist #0: ${record}\n  Resumed: ${record}\n  ResumedActivity: ${record}\n    mResumedActivity: ${record}\n  topResumedActivity=${record}\n  mFocusedApp=${record}\n`
      );
    case 'top':
      return `TASK ${name} id=12 userId=0\n  ACTIVITY ${short} 1a2b3c pid=${machine.processes.appPid(name) ?? 0} userId=0\n    mResumed=true\n`;
    case 'processes':
    case 'p':
      return `ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n${machine.processes.list().filter(({ parent }) => parent === 331).map(({ pid, name: process, user }) => `  *APP* UID ${user} ProcessRecord{ab12 ${pid}:${process}/${user.replace('_', '')}}\n`).join('')}`; // prettier-ignore
    case 'services':
      return `ACTIVITY MANAGER SERVICES (dumpsys activity services)\n${args[1] === undefined ? '' : '  (nothing)\n'}`;
    default:
      return `ACTIVITY MANAGER (dumpsys activity ${what})\n`;
  }
}

function dumpWindow(machine: Machine): string {
  const { long: component, record } = recordOf(machine);
  const { screen, identity } = machine;
  const hash = screen.focusedWindow;
  const long = screen.shadeOpen ? 'NotificationShade' : (screen.failureDialog ?? component);
  const { width, height, density, rotation } = screen;
  const physical = identity.model.screen;
  const turned = rotation % 2 === 1;
  const init = turned ? `${physical.height}x${physical.width}` : `${physical.width}x${physical.height}`;
  return (
    `WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n  Display: mDisplayId=0\n` +
    `    init=${init} ${physical.density}dpi cur=${width}x${height} app=${width}x${height} ${density}dpi rng=${Math.min(width, height)}x${Math.min(width, height)}-${Math.max(width, height)}x${Math.max(width, height)}\n` +
    `    mCurrentRotation=ROTATION_${rotation * 90}\n    mRotation=${rotation}\n` +
    `  mCurrentFocus=Window{${hash} u0 ${long}}\n  mFocusedApp=${record}\n` +
    `  mInputMethodTarget=${screen.keyboardShown ? `Window{${hash} u0 ${long}}` : 'null'}\n` +
    `  Window #0 Window{${hash} u0 ${long}}:\n    mHasSurface=true isReadyForDisplay()=true\n` +
    `    mDreamingLockscreen=false\n  KeyguardServiceDelegate\n    showing=false\n  KeyguardStateMonitor\n    mIsShowing=false\n    mInputRestricted=false\n` +
    `  screenState=SCREEN_STATE_${screen.awake ? 'ON' : 'OFF'}\n  mAwake=${screen.awake}\n  mScreenOnEarly=${screen.awake} mScreenOnFully=${screen.awake}\n`
  );
}

function dumpNotifications({ screen }: Machine): string {
  const records = screen.notifications
    .list()
    .map(
      ({ key, package: name, tag, title, text }) =>
        `    NotificationRecord(0x0a1b2c3d: pkg=${name} user=UserHandle{0} id=1 tag=${tag} importance=3 key=${key}: Notification(channel=default))\n` +
        `      android.title=String (${title})\n      android.text=String (${text})\n`,
    );
  return `Current Notification Manager state:\n  Notification List:\n${records.join('')}`;
}

function dumpPackage(machine: Machine, args: readonly string[]): string {
  const { packages, properties } = machine;
  const last = args.filter((word) => !word.startsWith('-')).at(-1);
  // The word `packages` asks for the part of the report about packages; here that is nearly the whole report.
  const name = last === 'packages' ? undefined : last;
  const wanted = name === undefined ? packages.list() : packages.list().filter((one) => one.package === name);
  if (wanted.length === 0) return `Unable to find package: ${name ?? ''}\n`;
  const date = (timeMs: number): string => formatDate('%Y-%m-%d %H:%M:%S', timeMs, properties.get('persist.sys.timezone')); // prettier-ignore
  const blocks = wanted.map((one) => {
    const facts = packages.factsOf(one.package);
    const requested = packages.permissionsOf(one.package);
    const path = packages.apkPath(one);
    return (
      `  Package [${one.package}] (1a2b3c):\n    userId=${packages.uidOf(one.package)}\n    pkg=Package{4d5e6f ${one.package}}\n` +
      `    codePath=${path.slice(0, path.lastIndexOf('/'))}\n    resourcePath=${path.slice(0, path.lastIndexOf('/'))}\n` +
      `    versionCode=${one.versionCode} minSdk=${facts.minSdk} targetSdk=${facts.targetSdk}\n    versionName=${one.versionName}\n` +
      `    splits=[${['base', ...packages.splitsOf(one.package)].join(', ')}]\n    label=${one.label}\n    flags=[ ${one.system ? 'SYSTEM ' : ''}HAS_CODE ALLOW_CLEAR_USER_DATA ]\n    pkgFlags=[ ${one.system ? 'SYSTEM ' : ''}HAS_CODE ]\n` +
      `    firstInstallTime=${date(one.firstInstallTimeMs)}\n    lastUpdateTime=${date(one.lastUpdateTimeMs)}\n` +
      `    installerPackageName=${one.system ? 'null' : 'com.android.shell'}\n    signatures=PackageSignatures{ab12 version:2, signatures:[cd34], past signatures:[]}\n` +
      (requested.length > 0 ? `    requested permissions:\n${requested.map((permission) => `      ${permission}\n`).join('')}` : '') +
      `    User 0: ceDataInode=0 installed=true hidden=false suspended=false stopped=${machine.processes.appPid(one.package) === undefined} notLaunched=false enabled=${packages.isDisabled(one.package) ? 3 : 0}\n` +
      (requested.length > 0 ? `      runtime permissions:\n${requested.filter((permission) => PERMISSIONS.includes(permission)).map((permission) => `        ${permission}: granted=true\n`).join('')}` : '') // prettier-ignore
    );
  });
  const activities = wanted.flatMap(({ launcherActivity }) =>
    launcherActivity === undefined ? [] : [launcherActivity],
  );
  const resolver = `Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:\n${activities.map((component) => `        1a2b3c ${component} filter 4d5e6f\n          Action: "android.intent.action.MAIN"\n          Category: "android.intent.category.LAUNCHER"\n`).join('')}\n`; // prettier-ignore
  return `${resolver}Packages:\n${blocks.join('')}`;
}
