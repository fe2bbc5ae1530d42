/** The processes that `ps` shows: the system's, the apps that were started, and the shell commands that run now. */
export class ProcessTable {
  readonly #apps = new Map<string, { pid: number; uid: number }>();
  readonly #commands = new Map<number, Process & { kill: (signal: number) => void }>();
  #nextPid = FIRST_FREE_PID;

  /** Returns the pid of the app's process. Starts the process when it does not run. */
  ensureApp(packageName: string, uid: number): number {
    const running = this.#apps.get(packageName);
    if (running) return running.pid;
    const pid = this.#takePid();
    this.#apps.set(packageName, { pid, uid });
    return pid;
  }

  appPid(packageName: string): number | undefined {
    return this.#apps.get(packageName)?.pid;
  }

  stopApp(packageName: string): boolean {
    return this.#apps.delete(packageName);
  }

  /** Whether no more commands can be started; keeps a fork bomb within its phone. */
  get isFull(): boolean {
    return !this.hasRoomFor(1);
  }

  /** Whether this many more commands can be started. */
  hasRoomFor(count: number): boolean {
    return this.#commands.size + count <= MAX_COMMANDS;
  }

  /**
   * Adds the process of a command. `kill` is called with the number of each signal that is sent to the process. The caller must call
   * `finished` when the command is over.
   */
  startCommand(name: string, parent: number, kill: (signal: number) => void): { pid: number; finished: () => void } {
    const pid = this.#takePid();
    this.#commands.set(pid, { pid, parent, user: 'shell', name, memoryKb: 3_200, kill });
    return { pid, finished: () => this.#commands.delete(pid) };
  }

  /** Sends a signal. Returns whether there was such a process, and whether the shell may end it. */
  kill(pid: number, signal: number): 'killed' | 'not-permitted' | 'absent' {
    const command = this.#commands.get(pid);
    if (command) {
      command.kill(signal);
      return 'killed';
    }
    return this.list().some((process) => process.pid === pid) ? 'not-permitted' : 'absent';
  }

  list(): Process[] {
    const apps = [...this.#apps].map(([name, { pid, uid }]) => ({
      pid,
      parent: ZYGOTE_PID,
      user: uid >= 10000 ? `u0_a${uid - 10000}` : 'system',
      name,
      memoryKb: 96_000,
    }));
    return [...SYSTEM_PROCESSES, ...apps, ...this.#commands.values()].sort((a, b) => a.pid - b.pid);
  }

  #takePid(): number {
    const pid = this.#nextPid;
    this.#nextPid = pid >= LAST_PID ? FIRST_FREE_PID : pid + 1;
    return this.#commands.has(pid) ? this.#takePid() : pid;
  }
}

export interface Process {
  pid: number;
  parent: number;
  user: string;
  name: string;
  memoryKb: number;
}

const MAX_COMMANDS = 1_000;
const FIRST_FREE_PID = 2_000;
const LAST_PID = 32_000;
const ZYGOTE_PID = 331;
export const ADBD_PID = 402;

const SYSTEM_PROCESSES: readonly Process[] = [
  { pid: 1, parent: 0, user: 'root', name: 'init', memoryKb: 9_800 },
  { pid: 2, parent: 0, user: 'root', name: '[kthreadd]', memoryKb: 0 },
  { pid: 180, parent: 1, user: 'logd', name: 'logd', memoryKb: 8_200 },
  { pid: 181, parent: 1, user: 'system', name: 'servicemanager', memoryKb: 5_100 },
  { pid: 210, parent: 1, user: 'root', name: 'vold', memoryKb: 7_000 },
  { pid: 331, parent: 1, user: 'root', name: 'zygote64', memoryKb: 88_000 },
  { pid: 340, parent: 1, user: 'system', name: 'surfaceflinger', memoryKb: 31_000 },
  { pid: 360, parent: 1, user: 'root', name: 'netd', memoryKb: 9_300 },
  { pid: 402, parent: 1, user: 'shell', name: 'adbd', memoryKb: 6_400 },
  { pid: 612, parent: 331, user: 'system', name: 'system_server', memoryKb: 240_000 },
  { pid: 790, parent: 331, user: 'u0_a80', name: 'com.android.systemui', memoryKb: 150_000 },
  { pid: 861, parent: 331, user: 'u0_a81', name: 'com.android.inputmethod.latin', memoryKb: 72_000 },
];
