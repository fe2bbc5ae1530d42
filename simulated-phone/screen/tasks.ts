import type { Activity, App } from '../apps/app.js';
import type { Window } from './window.js';

/** An open activity. */
export interface ActivityRecord {
  readonly app: App;
  /** `package/.Activity`. */
  readonly component: string;
  /** `.Activity`. */
  readonly name: string;
  /** The intent that it was opened with. */
  readonly extras: Readonly<Record<string, string>>;
  readonly data: string | undefined;
  readonly activity: Activity;
  /** The work that it has begun by `AppContext.run` and that is not over. */
  readonly loading: Set<Promise<unknown>>;
  /** Its own window first, then dialogs and lists above it. */
  readonly windows: Window[];
  secure: boolean;
  /** When it was covered, monotonic; undefined while it is in front. */
  leftMs: number | undefined;
  /** Notifies the activity that it is in front. */
  readonly resume: () => void;
  readonly close: () => void;
}

/** The activities of one app, the last in front. */
export interface Task {
  readonly id: number;
  readonly package: string;
  readonly records: ActivityRecord[];
}

/**
 * Most apps that are open at the same time, with the one in front. Further ones are closed, the oldest first, so that an idle phone stays
 * small.
 */
const KEPT_TASKS = 8;

/** The back stack of the whole phone. */
export class Tasks {
  #tasks: Task[] = [];
  #nextId = 1;

  get front(): ActivityRecord | undefined {
    return this.#tasks.at(-1)?.records.at(-1);
  }

  /** Returns the tasks; the one that was in front last comes first. */
  list(): readonly Task[] {
    return [...this.#tasks].reverse();
  }

  of(packageName: string): Task | undefined {
    return this.#tasks.find((task) => task.package === packageName);
  }

  byId(id: number): Task | undefined {
    return this.#tasks.find((task) => task.id === id);
  }

  bringToFront(task: Task): void {
    this.#tasks = [...this.#tasks.filter((other) => other !== task), task];
  }

  push(record: ActivityRecord, keep: (task: Task) => boolean): void {
    let task = this.of(record.app.package);
    if (!task) {
      task = { id: this.#nextId++, package: record.app.package, records: [] };
      this.#tasks.push(task);
    }
    task.records.push(record);
    this.bringToFront(task);
    while (this.#tasks.length > KEPT_TASKS) {
      const oldest = this.#tasks.find((candidate) => candidate !== task && !keep(candidate));
      if (!oldest) break;
      this.remove(oldest);
    }
  }

  /** Closes an activity. A task ends with its last activity. */
  pop(record: ActivityRecord): void {
    const task = this.#tasks.find(({ records }) => records.includes(record));
    if (!task) return;
    task.records.splice(task.records.indexOf(record), 1);
    record.close();
    if (task.records.length === 0) this.#tasks = this.#tasks.filter((other) => other !== task);
  }

  remove(task: Task): void {
    this.#tasks = this.#tasks.filter((other) => other !== task);
    for (const record of [...task.records].reverse()) record.close();
  }

  allWindows(): Window[] {
    return this.#tasks.flatMap(({ records }) => records.flatMap(({ windows }) => windows));
  }
}
