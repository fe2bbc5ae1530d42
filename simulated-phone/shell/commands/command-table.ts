import { CommandFailure, type Command } from '../command.js';
import { am } from './am.js';
import { appProcess } from './scrcpy/app-process.js';
import { awk } from './awk/awk.js';
import { cat, tee } from './cat.js';
import { cmd } from './cmd.js';
import { curl } from './curl.js';
import { dd } from './dd.js';
import { base64, md5sum, sha256sum, xxd } from './digest.js';
import { dumpsys } from './dumpsys.js';
import { echo, seq, yes } from './echo.js';
import { chmod, chown, cp, ln, mkdir, mv, rm, rmdir, touch } from './file-changes.js';
import { basename, df, dirname, find, pwd, readlink, stat, which, xargs } from './file-facts.js';
import { getevent, sendevent } from './getevent.js';
import { grep } from './grep.js';
import { head, tail } from './head-tail.js';
import { date, env, getenforce, hostname, id, uname, uptime, whoami } from './identity.js';
import { ime } from './ime.js';
import { input } from './input.js';
import { log } from './log.js';
import { logcat } from './logcat.js';
import { ls } from './ls.js';
import { monkey } from './monkey.js';
import { ifconfig, ip, ping } from './network-tools.js';
import { nc } from './nc.js';
import { od } from './od.js';
import { pm } from './pm.js';
import { printf } from './printf.js';
import { kill, pgrep, pidof, ps, top } from './processes.js';
import { getprop, setprop } from './properties.js';
import { reboot } from './reboot.js';
import { REFUSED } from './refused.js';
import { screencap } from './screencap.js';
import { screenrecord } from './screenrecord.js';
import { runAs } from './run-as.js';
import { sed } from './sed.js';
import { service } from './service-command.js';
import { content, settings } from './settings-command.js';
import { sh } from './sh.js';
import { sleep, timeout } from './sleep.js';
import { svc } from './svc.js';
import { test } from './test-command.js';
import { cut, sort, tr, uniq, wc } from './text-tools.js';
import { toyboxOf } from './toybox.js';
import { uiautomator } from './uiautomator.js';
import { wm } from './wm.js';

/** Commands that talk to a service of the Android system, which is not there in the first stage of a boot. */
const OF_THE_SYSTEM = new Set(['am', 'cmd', 'content', 'ime', 'input', 'monkey', 'pm', 'settings', 'svc', 'uiautomator', 'wm']); // prettier-ignore

function afterSystemStart(name: string, command: Command): Command {
  if (!OF_THE_SYSTEM.has(name)) return command;
  return (call) => {
    if (call.machine.properties.get('init.svc.bootanim') !== '') return command(call);
    throw new CommandFailure(`cmd: Can't find service: ${name}`, { bare: true, status: 20 });
  };
}

const succeed: Command = async () => 0;
const fail: Command = async () => 1;
/** `locksettings`, on a phone whose screen has no lock. */
const locksettings: Command = async ({ args, stdout }) => {
  await stdout.write(
    args[0] === 'get-disabled' ? 'true\n' : args[0] === 'help' ? 'lockSettings service commands:\n' : '',
  );
  return 0;
};
const nohup: Command = ({ args, run }) => run(args);

/** Every program of the phone by name, as in /system/bin. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    am, awk, base64, basename, cat, chmod, chown, cmd, content, cp, curl, cut, date, dd, df, dirname, dumpsys, echo, env, find,
    getenforce, getevent, getprop, grep, head, hostname, id, ifconfig, ime, input, ip, kill, ln, locksettings, log, logcat, ls,
    md5sum, mkdir, monkey, mv, nc, nohup, od, pgrep, pidof, ping, pm, printf, ps, pwd, readlink, reboot, rm,
    rmdir, screencap, screenrecord, sed, sendevent, seq, service, setprop, settings, sh, sha256sum, sleep, sort, stat, svc, tail, tee,
    test, timeout, top, touch, tr, uiautomator, uname, uniq, uptime, wc, which, whoami, wm, xargs, xxd, yes,
    ...REFUSED,
    '[': test,
    app_process: appProcess,
    chgrp: chown,
    clear: succeed,
    egrep: grep,
    false: fail,
    fgrep: grep,
    'run-as': runAs,
    sync: succeed,
    toybox: toyboxOf(() => COMMANDS),
    true: succeed,
  }).map(([name, command]): [string, Command] => [name, afterSystemStart(name, command)]),
); // prettier-ignore
