import type { Logcat, PhoneIdentity } from '../system/system.js';
import { sdkOf } from '../system/android-version.js';

/** The app that goes wrong, as the log names it. */
export interface FailingApp {
  package: string;
  /** `com.example/.Main`; undefined where none of its activities is open. */
  activity: string | undefined;
  isInFront: boolean;
  pid: number;
  uid: number;
}

const ZYGOTE_PID = 331;
const TOMBSTONED_PID = 233;
const FIRST_APP_UID = 10_000;
/** The API level of Android 12, which made formats shorter. */
const SDK_12 = 31;

/** Writes what Android writes into its log when an app goes wrong. The phone's version of Android decides the form. */
export class FailureLog {
  readonly #logcat: Logcat;
  readonly #identity: PhoneIdentity;

  constructor({ logcat, identity }: { logcat: Logcat; identity: PhoneIdentity }) {
    this.#logcat = logcat;
    this.#identity = identity;
  }

  /** The exception by which `am crash` ends an app. */
  get inducedException(): string {
    const name = this.#isNew
      ? 'android.app.RemoteServiceException$CrashedByAdbException'
      : 'android.app.RemoteServiceException';
    return `${name}: shell-induced crash`;
  }

  exception(app: FailingApp, thrown: string): void {
    const { package: name, pid, activity } = app;
    const frames = [
      'android.app.ActivityThread$H.handleMessage(ActivityThread.java:2187)',
      'android.os.Handler.dispatchMessage(Handler.java:106)',
      'android.os.Looper.loop(Looper.java:288)',
      'android.app.ActivityThread.main(ActivityThread.java:7884)',
      'com.android.internal.os.ZygoteInit.main(ZygoteInit.java:936)',
    ];
    const trace = frames.map((frame) => `\tat ${frame}`).join('\n');
    this.#logcat.writeTo('crash', 'E', 'AndroidRuntime', `FATAL EXCEPTION: main\nProcess: ${name}, PID: ${pid}\n${thrown}\n${trace}`, pid); // prettier-ignore
    if (activity !== undefined) this.#system('W', 'ActivityTaskManager', `  Force finishing activity ${activity}`);
    this.#logcat.write('I', 'Process', `Sending signal. PID: ${pid} SIG: 9`, pid);
    this.#died(app);
    this.endedBy(app, '9 (Killed)');
  }

  /** A use of a null pointer in native code. */
  signal(app: FailingApp): void {
    const { package: name, pid, uid } = app;
    const signal = `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x${this.#isNew ? '0000000000000000' : '0'}`;
    const thread = name.slice(-15);
    const dumper = pid + 1;
    this.#logcat.writeTo(
      'crash',
      'F',
      'libc',
      `Fatal ${signal} in tid ${pid} (${thread}), pid ${pid} (${thread})`,
      pid,
    );
    const output = `kDebuggerdTombstone${this.#isNew ? 'Proto' : ''}`;
    this.#logcat.write('I', 'crash_dump64', `obtaining output fd from tombstoned, type: ${output}`, dumper);
    this.#logcat.write('I', 'tombstoned', `received crash request for pid ${pid}`, TOMBSTONED_PID);
    this.#logcat.write('I', 'crash_dump64', `performing dump of process ${pid} (target tid = ${pid})`, dumper);
    const { android, serial } = this.#identity;
    const frames = [
      '      #00 pc 0000000000012f40  /data/app/lib/x86_64/libmain.so (crash+16)',
      '      #01 pc 00000000000b0b48  /apex/com.android.runtime/lib64/bionic/libc.so (__libc_init+88)',
    ];
    const lines = [
      '*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***',
      `Build fingerprint: 'cloudphone/${serial}/${serial}:${android}/SIM1.260101.001/1:user/release-keys'`,
      "Revision: '0'",
      "ABI: 'x86_64'",
      ...(this.#isNew ? ['Process uptime: 12s', `Cmdline: ${name}`] : []),
      `pid: ${pid}, tid: ${pid}, name: ${thread}  >>> ${name} <<<`,
      `uid: ${uid}`,
      signal,
      'Cause: null pointer dereference',
      '    rax 0000000000000000  rbx 00007ffd5c0a1b20  rcx 000070d1a2c31f10  rdx 0000000000000008',
      ...(Number(android) >= 14 ? [`${frames.length} total frames`] : []),
      'backtrace:',
      ...frames,
    ];
    for (const line of lines) this.#logcat.writeTo('crash', 'F', 'DEBUG', line, dumper);
    const tombstone = this.#isNew ? 'tombstone_00' : '/data/tombstones/tombstone_00';
    this.#logcat.write('E', 'tombstoned', `Tombstone written to: ${tombstone}`, TOMBSTONED_PID);
    this.endedBy(app, '11 (Segmentation fault)');
    this.#died(app);
  }

  /** An input to which the app has not responded. */
  notResponding({ package: name, activity, pid }: FailingApp, waitedMs: number): void {
    const component = activity?.replace('/.', `/${name}.`) ?? name;
    const window = `4f1c2a1 ${component}`;
    const waited = `${this.#isNew ? '' : `${component}, `}${window} (server) is not responding. Waited ${waitedMs}ms for MotionEvent(action=DOWN)`;
    const lines = [
      `ANR in ${name}${activity === undefined ? '' : ` (${activity})`}`,
      `PID: ${pid}`,
      `Reason: Input dispatching timed out (${waited})`,
      ...(this.#isNew ? ['ErrorId: 6f2cb1d4-3b0e-4a35-9d53-1f1e2b7c9a10', 'Frozen: false'] : []),
      ...(activity === undefined ? [] : [`Parent: ${activity}`]),
      'Load: 0.4 / 0.2 / 0.1',
      `CPU usage from 0ms to ${waitedMs}ms later:`,
      `  98% ${pid}/${name}: 98% user + 0% kernel`,
      '99% TOTAL: 98% user + 1% kernel',
    ];
    this.#system('E', 'ActivityManager', lines.join('\n'));
  }

  /** The end of an app that a person chose to close. */
  closed(app: FailingApp): void {
    const { package: name, pid, uid } = app;
    this.#system('I', 'ActivityManager', `Killing ${pid}:${name}/${userOf(uid)} (adj 0): user request after error`);
    this.endedBy(app, '9 (Killed)');
  }

  endedBy({ pid }: FailingApp, signal: string): void {
    this.#logcat.write('I', 'Zygote', `Process ${pid} exited due to signal ${signal}`, ZYGOTE_PID);
  }

  #died({ package: name, pid, isInFront }: FailingApp): void {
    const state = !isInFront ? 'cch+5 CEM ' : this.#isNew ? 'fg  TOP ' : 'fore TOP ';
    this.#system('I', 'ActivityManager', `Process ${name} (pid ${pid}) has died: ${state}`);
  }

  #system(priority: 'I' | 'W' | 'E', tag: string, message: string): void {
    this.#logcat.writeTo('system', priority, tag, message);
  }

  get #isNew(): boolean {
    return sdkOf(this.#identity.android) >= SDK_12;
  }
}

function userOf(uid: number): string {
  return uid >= FIRST_APP_UID ? `u0a${uid - FIRST_APP_UID}` : String(uid);
}
