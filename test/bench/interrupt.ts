import { killChildren } from '../../testing/process-tree.js';

const undone: (() => void | Promise<void>)[] = [];

/** Registers the function that undoes the latest step. Last registered, first done, at the end or when interrupted. */
export function undoLater(undo: () => void | Promise<void>): void {
  undone.push(undo);
}

/** Undoes everything that was registered. Called at the end of each bench. */
export async function undoAll(): Promise<void> {
  for (let undo = undone.pop(); undo !== undefined; undo = undone.pop()) await undo();
}

/** Makes SIGTERM and SIGINT kill every process that a bench has started, and undo the rest, before this process ends. */
export function undoWhenInterrupted(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      killChildren();
      void undoAll().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
    });
  }
}
