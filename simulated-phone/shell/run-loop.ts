import { LoopExit } from './shell-exits.js';

/** Runs the body of a loop once; `break` and `continue` in it end this turn. */
export type RunTurn = (body: () => Promise<number>) => Promise<void>;

/** Calls `step` until it returns false or the script breaks the loop, and returns the status of the last body. */
export async function runLoop(step: (turn: RunTurn) => Promise<boolean>): Promise<number> {
  let status = 0;
  const turn: RunTurn = async (body) => {
    try {
      status = await body();
    } catch (error) {
      if (!(error instanceof LoopExit)) throw error;
      if (error.levels > 1) throw new LoopExit(error.kind, error.levels - 1);
      if (error.kind === 'break') throw new LoopExit('break', 0);
    }
  };
  try {
    while (await step(turn));
  } catch (error) {
    if (!(error instanceof LoopExit) || error.levels > 0) throw error;
  }
  return status;
}
